// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace lazult::os {

// Sleeps while the word holds `expected`. The deadline is absolute, in nanoseconds of now_ns();
// negative means none. Returns false if the deadline passed, and true for everything else: a
// wake-up, another value, a signal. So callers must look at the word again.
bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t deadline_ns) noexcept;

// Wakes at most `count` sleepers and returns how many it woke. Uses only the word's address, so the
// word may have been destroyed.
int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept;

}  // namespace lazult::os
