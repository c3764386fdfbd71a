// SPDX-License-Identifier: BSD-3-Clause
// What a ULT that stands for a simulated rank has in place of its process: a rank, one strand, a
// way to other ranks, and a version of the runtime. src/simulation makes these.
#pragma once

#include "lazult/core/core.hpp"

#include <lazult_concert/context.hpp>

#include <cstdint>

namespace lazult::concert {

class strand;
class transport;

struct simulated_identity {
    std::uint32_t number = 0;
    strand* only = nullptr;
    transport* ranks = nullptr;
    bool calls_in_contexts = false;
    // The strand must be visited. No tasklet does so: the rank's own ULT does, when it is the
    // turn of contexts.
    bool owes_visit = false;
    std::uint64_t cache_epoch = 0;  // see objects/cache.cpp
};

// Of the calling thread: nullptr, if it stands for no simulated rank.
simulated_identity* simulated_here() noexcept;
// From now on the calling thread stands for this rank, or for none.
void stand_for(simulated_identity* rank) noexcept;

// The thread-local state of the simulated rank that runs. A rank's ULT suspends when it hands its
// turn over, also inside a strand, where a method may not suspend. It saves this state before, and
// restores it after.
struct thread_position {
    detail::position where;
    simulated_identity* rank;
    core::lifted_no_suspension lifted;  // where the rank's ULT stands it may not suspend
};
// The thread stands for no rank and inside no strand afterwards, and the ULT may suspend.
thread_position leave_thread() noexcept;
void return_to_thread(const thread_position& mine) noexcept;

}  // namespace lazult::concert
