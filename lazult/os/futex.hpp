// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace lazult::os {

// Sleeps while the word holds `expected`. The deadline is absolute, in now_ns()'s time; negative
// means for ever. False when the deadline passed; true for everything else: a wake-up, another
// value, a signal. So callers always look at the word again.
bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t deadline_ns) noexcept;

// Wakes at most `count` sleepers and returns how many there were. Only the word's address is used:
// it may be gone by now, as far as the kernel is concerned.
int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept;

}  // namespace lazult::os
