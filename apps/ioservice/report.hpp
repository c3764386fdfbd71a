// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/ioservice/experiment.hpp"

namespace ioservice {

struct spread {
    double median = 0;
    double least = 0;
    double most = 0;
};

// All 0 where there are no values.
spread spread_of(std::vector<double> values);
double percentile(std::vector<double> values, double share);

// Of the rounds' figures.
struct summary {
    spread all_steps_ms;
    spread step_ms;  // of the rounds' medians
    spread requests_per_second;
    spread mib_per_second;
    spread get_median_us;
    spread get_p99_us;
};

summary summarise(const outcome& of);
std::string table(const std::vector<outcome>& all);
nlohmann::json to_json(const plan& as, const std::vector<outcome>& all);

}  // namespace ioservice
