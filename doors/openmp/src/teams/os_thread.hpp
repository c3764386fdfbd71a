// SPDX-License-Identifier: BSD-3-Clause
// What the door keeps for each OS thread that forks: what its parallel regions use again.
#pragma once

#include <memory>
#include <vector>

#include "schedulers/stream_scheduler.hpp"

namespace lazult::omp {

struct pool_thread;

// Written and read by its OS thread only.
struct os_thread {
    std::unique_ptr<stream_scheduler> scheduler;  // from its first region on
    // The teams of its regions: one inside another where the outer ones have one thread. The last
    // one that is in use has the pool's threads.
    struct hot_team {
        team region;
        thread self;
    };
    std::vector<std::unique_ptr<hot_team>> hot;
    std::size_t depth = 0;  // of those in use
    std::vector<pool_thread*> helpers;
    const team* helped =
        nullptr;  // by these, the last one: their counts and what they may still look at are its
    os_thread* next = nullptr;  // in the list of those without a thread
};

os_thread& this_os_thread() noexcept;
// Ends the OS threads of its helpers.
void end_helpers(os_thread& self) noexcept;

// In a child process: what other threads had is nobody's.
void forget_other_threads() noexcept;

}  // namespace lazult::omp
