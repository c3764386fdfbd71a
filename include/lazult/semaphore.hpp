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

    // Never suspends; also for tasklets.
    void release(std::ptrdiff_t tokens = 1) noexcept;
    bool try_acquire() noexcept;
    // May suspend. Throw error: cannot_suspend (in a tasklet, when there is no token).
    void acquire() { acquire_until_ns(no_deadline); }
    // False when the time is over.
    template <class Rep, class Period>
    bool try_acquire_for(std::chrono::duration<Rep, Period> span) {
        return acquire_until_ns(deadline_after(span));
    }
    template <class Clock, class Duration>
    bool try_acquire_until(std::chrono::time_point<Clock, Duration> when) {
        return acquire_until_ns(deadline_at(when));
    }
    // Also end when a stop is requested: then false, and no token was taken.
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

/// Model: std::counting_semaphore.
template <std::ptrdiff_t Most = std::numeric_limits<std::ptrdiff_t>::max() / 8>
class counting_semaphore : public detail::semaphore_base {
public:
    /// With so many tokens at first. Throws error: invalid_argument (a negative number).
    explicit counting_semaphore(std::ptrdiff_t tokens) : semaphore_base(tokens) {}
    /// How many tokens there may be; release() does not check it.
    static constexpr std::ptrdiff_t max() noexcept { return Most; }
};

/// For one token.
using binary_semaphore = counting_semaphore<1>;

}  // namespace lazult
