// SPDX-License-Identifier: BSD-3-Clause
// Gives free memory back to the system when none was taken or given back for a second, and at the
// runtime's end. Creation and end of units have no part in this.
//
// A stream that has slept for a second puts its free memory into the stores that all threads share:
// it sleeps once with that deadline, and then without. That stream also empties the stores. If
// streams are busy, or sleep in system calls, a service thread empties the stores instead. It is
// started when they hold much (traffic.hpp), and sleeps without a deadline otherwise.
#pragma once

#include <cstdint>

namespace lazult::core {

struct worker;

inline constexpr std::int64_t quiet_ns = 1'000'000'000;

// Called by a stream that is about to sleep. Returns whether the stream keeps free memory, or the
// stores wait for a stream that empties them.
bool has_idle_memory(const worker& w) noexcept;
// Called by a stream that has slept for `quiet_ns` and was not woken. Puts its free memory into the
// stores. Empties these if count_traffic() is still `traffic`, its value before the sleep.
void tidy_up(worker& w, std::uint64_t traffic) noexcept;

// Gives everything back, and unmaps the free stacks. Called by the thread that ends the runtime,
// when no stream runs.
void give_all_back() noexcept;

}  // namespace lazult::core
