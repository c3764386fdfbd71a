// SPDX-License-Identifier: BSD-3-Clause
// The steps, as one rank directs them. The other ranks serve calls meanwhile.
#pragma once

#include "apps/cedar/concert/rank_phases.hpp"
#include "apps/cedar/experiment.hpp"

#include <functional>

namespace cedar {

// Of all ranks. Times are their mean; what is missing to the time of the steps they have waited.
struct findings_of_ranks {
    findings found;
    traffic calls;
    work_done computed;
    double most_computed_ns = 0;  // by one rank, if ranks are simulated
    std::uint64_t arrivals = 0;   // of atoms that went from rank to rank
    std::uint64_t messages = 0;
    std::uint64_t packets = 0;
};

// `found` has what is known of the preparation. Each rank has its share in use. The time of the
// steps is that of the clock, in seconds, if there is one.
findings_of_ranks run_over_ranks(const request& wanted, double box_edge, const findings& found,
                                 const std::function<double()>& clock = {});

}  // namespace cedar
