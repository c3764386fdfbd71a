// SPDX-License-Identifier: BSD-3-Clause
// The kinds of objects that callers wait for, as reports of deadlocks and debuggers show them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace lazult::sync {

enum class wait_kind : std::uint8_t {
    unknown,
    mutex,
    condition,
    rwlock,
    barrier,
    latch,
    semaphore,
    eventual,
    future,
    channel,
    lock,       // OpenMP: a lock
    turn,       // OpenMP: the caller's turn in an ordered loop
    iteration,  // OpenMP: an earlier iteration of a loop with dependences
    tasks,      // OpenMP: tasks that others depend on
    event,      // OpenMP: the event of a detached task
    region,     // OpenMP: the other threads of a parallel region
    end_of_unit,
};

// The names by wait_kind.
inline constexpr const char* wait_kind_names[] = {
    "something", "mutex",    "condition", "rwlock",  "barrier", "latch",
    "semaphore", "eventual", "future",    "channel", "lock",    "turn",
    "iteration", "tasks",    "event",     "region",  "end"};
static_assert(std::size(wait_kind_names) == static_cast<std::size_t>(wait_kind::end_of_unit) + 1);

constexpr const char* name(wait_kind kind) noexcept {
    return wait_kind_names[static_cast<std::size_t>(kind)];
}

}  // namespace lazult::sync
