// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A value that is set once, and may be made unset again.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/error.hpp>
#include <lazult/export.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

namespace lazult {

namespace detail {

struct event_access;

// An event that is set once, and may be reset. Thread-safe, except reset().
class LAZULT_API event {
public:
    event();
    ~event();
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    void set() noexcept;  // never suspends
    bool is_set() const noexcept;
    void reset() noexcept;
    // Waits until the event is set. Returns false if the deadline passed first. May suspend. Throws
    // error: cannot_suspend (in a tasklet, when it is not set).
    bool wait_until(std::int64_t deadline, const std::stop_token* stop = nullptr);

private:
    friend struct event_access;
    alignas(16) std::byte state_[64];
};

[[noreturn]] LAZULT_API void refuse_second_value(const char* object);

}  // namespace detail

/// A value that one thread sets and any number of threads wait for. Any thread may set it, also a
/// tasklet. Model: ABT_eventual. Thread-safe, except reset().
template <class T>
class eventual {
public:
    eventual() = default;

    /// Makes the value of these arguments and resumes the waiters. Throws error: busy (it is set
    /// already); what T's constructor throws. Never suspends.
    template <class... A>
        requires std::constructible_from<T, A...>
    void set(A&&... value) {
        int expected = unset;
        // acquire pairs with: reset(), store of state_
        if (!state_.compare_exchange_strong(expected, setting, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
            detail::refuse_second_value("eventual");
        }
        try {
            value_.emplace(std::forward<A>(value)...);
        } catch (...) {
            // pairs with: set(), compare_exchange of state_
            state_.store(unset, std::memory_order_release);
            throw;
        }
        event_.set();
    }
    /// Returns true if it is set. A caller that sees true also sees the value.
    bool is_set() const noexcept { return event_.is_set(); }

    /// Waits until it is set. The value stays until reset(). May suspend. Throws error:
    /// cannot_suspend (in a tasklet, when it is not set).
    T& wait() {
        event_.wait_until(detail::no_deadline);
        return *value_;
    }
    /// Does what wait() does, but returns nullptr when a stop is requested first.
    T* wait(std::stop_token stop) {
        return event_.wait_until(detail::no_deadline, &stop) ? &*value_ : nullptr;
    }
    /// Does what wait() does, but returns nullptr if it is not set within `span`.
    template <class Rep, class Period>
    T* wait_for(std::chrono::duration<Rep, Period> span) {
        return event_.wait_until(detail::deadline_after(span)) ? &*value_ : nullptr;
    }
    /// Does what wait() does, but returns nullptr if it is not set by `when`.
    template <class Clock, class Duration>
    T* wait_until(std::chrono::time_point<Clock, Duration> when) {
        return event_.wait_until(detail::deadline_at(when)) ? &*value_ : nullptr;
    }

    /// Makes it unset again. No other thread may use it meanwhile.
    void reset() {
        event_.reset();
        value_.reset();
        // pairs with: set(), compare_exchange of state_
        state_.store(unset, std::memory_order_release);
    }

    /// For wait_any.
    detail::event& as_event() noexcept { return event_; }

private:
    enum : int { unset, setting };

    std::atomic<int> state_{unset};
    std::optional<T> value_;
    detail::event event_;
};

}  // namespace lazult
