// SPDX-License-Identifier: BSD-3-Clause
// What the door keeps for each OS thread that forks teams, for its next regions.
#pragma once

#include <memory>
#include <vector>

#include "schedulers/stream_scheduler.hpp"

namespace lazult::omp {

struct pool_thread;

// Written and read by its OS thread only.
struct os_thread {
    std::unique_ptr<stream_scheduler> scheduler;  // from its first region on
    // The teams of its regions, by depth: a region may be inside others that have one thread each.
    // The innermost one in use has the helpers.
    struct hot_team {
        team region;
        thread self;
    };
    std::vector<std::unique_ptr<hot_team>> hot;
    std::size_t depth = 0;  // how many of these are in use
    std::vector<pool_thread*> helpers;
    // The helpers' last team: their counts are of this team, and they may still look at it.
    const team* helped = nullptr;
    os_thread* next = nullptr;  // next in the list of objects without a thread
};

os_thread& this_os_thread() noexcept;
// Ends the OS threads of its helpers.
void end_helpers(os_thread& self) noexcept;

// Called in a forked child process: forgets what other threads had.
void forget_other_threads() noexcept;

}  // namespace lazult::omp
