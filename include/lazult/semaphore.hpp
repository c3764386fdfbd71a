// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counting semaphores: first come, first served.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stop_token>

namespace lazult {

namespace detail {

struct semaphore_access;

class LAZULT_API semaphore_base {
public:
    semaphore_base(const semaphore_base&) = delete;
    semaphore_base& operator=(const semaphore_base&) = delete;

    // Adds tokens. Neither release() nor try_acquire() suspends; also for tasklets.
    void release(std::ptrdiff_t tokens = 1) noexcept;
    bool try_acquire() noexcept;
    // Takes a token. May suspend. Throws error: cannot_suspend (in a tasklet, when there is none).
    void acquire() { acquire_until_ns(no_deadline); }
    // Takes a token, or returns false after `span`. May suspend.
    template <class Rep, class Period>
    bool try_acquire_for(std::chrono::duration<Rep, Period> span) {
        return acquire_until_ns(deadline_after(span));
    }
    template <class Clock, class Duration>
    bool try_acquire_until(std::chrono::time_point<Clock, Duration> when) {
        return acquire_until_ns(deadline_at(when));
    }
    // Takes a token, or returns false, without one, when a stop is requested first. May suspend.
    bool acquire(std::stop_token stop) { return acquire_until_ns(no_deadline, &stop); }
    template <class Rep, class Period>
    bool try_acquire_for(std::stop_token stop, std::chrono::duration<Rep, Period> span) {
        return acquire_until_ns(deadline_after(span), &stop);
    }

protected:
    // Throws error: invalid_argument (a negative number).
    explicit semaphore_base(std::ptrdiff_t tokens);

private:
    friend struct semaphore_access;
    bool acquire_until_ns(std::int64_t deadline, const std::stop_token* stop = nullptr);

    alignas(8) std::byte state_[16];
};

}  // namespace detail

/// A counter of tokens, which threads take and release. Model: std::counting_semaphore.
/// Thread-safe.
template <std::ptrdiff_t Most = std::numeric_limits<std::ptrdiff_t>::max() / 8>
class counting_semaphore : public detail::semaphore_base {
public:
    /// A semaphore with `tokens` tokens. Throws error: invalid_argument (a negative number).
    explicit counting_semaphore(std::ptrdiff_t tokens) : semaphore_base(tokens) {}
    /// Returns how many tokens there may be; release() does not check it.
    static constexpr std::ptrdiff_t max() noexcept { return Most; }
};

/// A semaphore for one token.
using binary_semaphore = counting_semaphore<1>;

}  // namespace lazult
