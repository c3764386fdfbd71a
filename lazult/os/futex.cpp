// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/futex.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lazult/base/base.hpp"

namespace lazult::os {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
              std::atomic<std::uint32_t>::is_always_lock_free);

// Uses FUTEX_WAIT_BITSET, because its timeout is absolute, on CLOCK_MONOTONIC. The timeout of
// FUTEX_WAIT is relative, and would start again after every spurious wake-up.
bool futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t deadline_ns) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    const timespec deadline{static_cast<time_t>(deadline_ns / second),
                            static_cast<long>(deadline_ns % second)};
    const timespec* limit = deadline_ns < 0 ? nullptr : &deadline;
    const long result = ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
                                  expected, limit, nullptr, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || base::errno_guard::current() != ETIMEDOUT;
}

int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
    const long woken =
        ::syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, nullptr, nullptr, 0);
    return static_cast<int>(std::max(woken, 0L));
}

}  // namespace lazult::os
