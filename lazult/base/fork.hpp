// SPDX-License-Identifier: BSD-3-Clause
// Locks and fork. A child process has the thread that forked and no other. A lock that another
// thread held at that moment would stay taken in the child for ever, and what it guards might be
// half changed. So the forking thread first takes all locks that are named here. Both processes
// let them go afterwards.
#pragma once

#include <cstdint>
#include <mutex>

namespace lazult::base {

// In the order in which they are taken: a thread that holds one may take those behind it, and none
// before it.
enum class fork_lock : std::uint8_t {
    streams,
    thieves,
    reports,
    defaults,
    housekeeping,
    memory_thread,
    workers,
    events,
    timers,
    blocks,
    local_keys,
    descriptors,
    stacks,
    nodes,
    keepers,
    retired_pools,
    faults,
    settings,
    output_paths,
    count
};

// Locks of which there are many, and that belong to the one that is named. They are taken right
// behind it.
struct fork_lock_family {
    void (*take)() noexcept = nullptr;
    void (*let_go)() noexcept = nullptr;
};

// Once for each, of a lock that is never destroyed and under which nobody waits for another thread.
// `in_child` runs in the child, when all locks are free again, in the order above: it forgets the
// threads that stayed behind. `family` may grow and shrink under the lock alone.
void hold_across_fork(fork_lock which, std::mutex& lock, void (*in_child)() noexcept = nullptr,
                      fork_lock_family family = {}) noexcept;

}  // namespace lazult::base
