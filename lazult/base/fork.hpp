// SPDX-License-Identifier: BSD-3-Clause
// Locks and fork. A child process has only the thread that forked. A lock that another thread held
// at that moment would stay locked in the child for ever, and the data that it guards might be half
// changed. So the forking thread first takes all locks that are registered here. Parent and child
// release them afterwards.
#pragma once

#include <cstdint>
#include <mutex>

namespace lazult::base {

// The order of the locks: a thread that holds one lock may take only locks behind that one.
enum class fork_lock : std::uint8_t {
    streams,
    thieves,
    lending,
    staying,
    reports,
    defaults,
    housekeeping,
    memory_thread,
    workers,
    events,
    ports,
    helpers,
    timers,
    blocks,
    local_keys,
    descriptors,
    stacks,
    stack_use,
    nodes,
    keepers,
    retired_pools,
    faults,
    settings,
    output_paths,
    count
};

// Functions that take and release further locks, a changing number of them, that belong to a
// registered lock. They are taken right after that lock.
struct fork_lock_family {
    void (*take)() noexcept = nullptr;
    void (*let_go)() noexcept = nullptr;
};

// Has each fork take `lock` first, at the place of `which` in the order. Called at most once for
// each value of `which`. The lock must never be destroyed, and no thread may wait for another
// thread while it holds the lock. `in_child`, if not null, runs in the child after all locks are
// released, and forgets the threads that the child does not have. A further lock may be added to
// `family`, or removed from it, only by a thread that holds `lock`.
void hold_across_fork(fork_lock which, std::mutex& lock, void (*in_child)() noexcept = nullptr,
                      fork_lock_family family = {}) noexcept;

}  // namespace lazult::base
