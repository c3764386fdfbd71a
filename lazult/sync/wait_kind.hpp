// SPDX-License-Identifier: BSD-3-Clause
// The kinds of objects that callers wait for, for reports of deadlocks and for debuggers.
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
    lock,       // these are waits of OpenMP's
    turn,       // in an ordered loop
    iteration,  // of a loop with dependences
    tasks,      // with their dependences
    event,      // of a detached task
    region,     // in which others still are
    end_of_unit,
};

// By kind.
inline constexpr const char* wait_kind_names[] = {
    "something", "mutex",    "condition", "rwlock",  "barrier", "latch",
    "semaphore", "eventual", "future",    "channel", "lock",    "turn",
    "iteration", "tasks",    "event",     "region",  "end"};
static_assert(std::size(wait_kind_names) == static_cast<std::size_t>(wait_kind::end_of_unit) + 1);

constexpr const char* name(wait_kind kind) noexcept {
    return wait_kind_names[static_cast<std::size_t>(kind)];
}

}  // namespace lazult::sync
