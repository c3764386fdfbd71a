// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cedar/concert/run_over_ranks.hpp"

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cedar {

using counter_sums =
    std::array<std::uint64_t, sizeof(lazult::concert::method_counters) / sizeof(std::uint64_t)>;

// Collective. Over all ranks, on the first of them.
counter_sums sum_of_counters();

std::string describe(const request& wanted, const findings_of_ranks& found,
                     const counter_sums& counters);
nlohmann::json to_json(const request& wanted, const findings_of_ranks& found,
                       const counter_sums& counters);

}  // namespace cedar
