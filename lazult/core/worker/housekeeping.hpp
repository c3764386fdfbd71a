// SPDX-License-Identifier: BSD-3-Clause
// Memory that was in use and is free goes back to the system when nothing of it has been taken or
// given back for a second, and at the runtime's end. Nothing on the way of a unit does anything for
// it.
//
// What a stream keeps for itself it puts into the stores of all when it has slept for a second: it
// sleeps with that deadline once, and then without. The stores are emptied by that stream, or,
// where streams are busy or their program sleeps in the system, by an OS thread of its own, which
// is started when there is much in them (traffic.hpp), and sleeps without a deadline when there is
// nothing to do.
#pragma once

#include <cstdint>

namespace lazult::core {

struct worker;

inline constexpr std::int64_t quiet_ns = 1'000'000'000;

// By a stream that would sleep: whether it has something to put into the stores, or they wait for
// somebody to empty them.
bool has_idle_memory(const worker& w) noexcept;
// By a stream that has slept for `quiet_ns` and nobody woke it. `traffic`: the count before its
// sleep.
void tidy_up(worker& w, std::uint64_t traffic) noexcept;

// Called by the thread that ends the runtime, when no stream runs: everything goes back, addresses
// of stacks too.
void give_all_back() noexcept;

}  // namespace lazult::core
