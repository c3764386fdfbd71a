// SPDX-License-Identifier: BSD-3-Clause
// Lets every stream call a function soon, between two units. Streams that sleep are woken for that.
#pragma once

#include <cstdint>

namespace lazult::sched {

// Sets the function, for the process; nullptr: none. Not from signal handlers.
void on_attention(void (*function)()) noexcept;
// Makes every stream call the function soon. Any OS thread may call this, also in a signal handler.
void call_attention() noexcept;

// For schedulers' own code. The number of call_attention() calls so far; and a call of the
// function.
std::uint32_t attention_calls() noexcept;
void attend() noexcept;

}  // namespace lazult::sched
