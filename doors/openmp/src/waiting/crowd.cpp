// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/crowd.hpp"

#include <algorithm>

#include "door.hpp"
#include "environment/environment.hpp"

namespace lazult::omp {
namespace {

// The number of OS threads in teams. Cached: how many there are for each processor.
constinit ds::coarse_count<> engaged{1};

int rivals_among(int threads) noexcept {
    const int processors = std::max(variables().processors, 1);
    return threads <= processors ? 1 : (threads + processors - 1) / processors;
}

}  // namespace

int rivals_for_processor() noexcept { return engaged.what_follows(); }

void count_engaged(int change) noexcept { engaged.add(change, rivals_among); }

void forget_engaged() noexcept { engaged.reset(1); }

}  // namespace lazult::omp
