// SPDX-License-Identifier: BSD-3-Clause
// Calling all streams together: each one calls a function between two units soon, also one that
// sleeps.
#pragma once

#include <cstdint>

namespace lazult::sched {

// For the process, until the next call; nullptr: nothing is called. Not from signal handlers.
void on_attention(void (*function)()) noexcept;
// Any OS thread, signal handlers too.
void call_attention() noexcept;

// For streams: how many calls there were, and what to do when there was one. In the scheduler's own
// code.
std::uint32_t attention_calls() noexcept;
void attend() noexcept;

}  // namespace lazult::sched
