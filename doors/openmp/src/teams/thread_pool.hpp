// SPDX-License-Identifier: BSD-3-Clause
// The helpers: OS threads of the process for level-1 teams. A region's parent hands the team to
// each of its helpers by the word `order`, for which the helper spins and then sleeps. Between
// regions the helpers stay with the parent's OS thread.
#pragma once

#include <memory>
#include <vector>

#include "schedulers/stream_scheduler.hpp"

namespace lazult::omp {

// field     written by                    read by        order
// order     the parent                    the helper     seq_cst / acquire: publishes region and
//                                                        number
// asleep    the helper                    the parent     seq_cst, against order
// done      the helper                    the parent     release / acquire
// region    the parent, before the order  the helper     published by order
// steps, started_from  its starter        the helper     published by the start of the thread
// scheduler the helper                    the same       none needed
struct pool_thread {
    // a value of `done`, and never of `order`: the OS thread has ended
    static constexpr std::uint32_t gone = UINT32_MAX;
    alignas(base::cache_line) atomic<std::uint32_t> order{0};
    atomic<std::uint32_t> asleep{0};
    team* region = nullptr;
    std::uint32_t number = 0;
    int started_from = -1;  // its starter's processor; the helper begins `steps` further on
    int steps = 0;
    atomic<std::uint32_t> done{0};  // the last order that the helper has finished
    thread self;
    std::unique_ptr<stream_scheduler> scheduler;  // for its OS threads, one after another
    pool_thread* next = nullptr;
};

constexpr std::uint32_t order_after(std::uint32_t number) noexcept {
    return number + 1 == pool_thread::gone ? 0 : number + 1;
}

// Adds helpers until there are `wanted`, or the system has no more threads.
void take_helpers(std::vector<pool_thread*>& helpers, std::size_t wanted);
// Ends their OS threads.
void end_helpers(std::vector<pool_thread*>& helpers) noexcept;
void give_back_helpers(std::vector<pool_thread*>& helpers) noexcept;
// Waits until no helper looks at its last team any more.
void await_helpers(const std::vector<pool_thread*>& helpers) noexcept;
void start_helper(pool_thread& helper, team& region, std::uint32_t number) noexcept;

// Returns how many OS threads the pool has.
std::size_t pool_size() noexcept;
void forget_pool() noexcept;

}  // namespace lazult::omp
