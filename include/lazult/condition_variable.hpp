// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Condition variables.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>
#include <lazult/mutex.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <utility>

namespace lazult {

namespace detail {

// A lock of any type, as the library sees it.
class any_lock {
public:
    virtual void lock() = 0;
    virtual void unlock() = 0;

protected:
    ~any_lock() = default;
};

template <class Lock>
class lock_adaptor final : public any_lock {
public:
    explicit lock_adaptor(Lock& lock) noexcept : lock_(lock) {}
    void lock() override { lock_.lock(); }
    void unlock() override { lock_.unlock(); }

private:
    Lock& lock_;
};

}  // namespace detail

/// Model: std::condition_variable_any; std::unique_lock<lazult::mutex> is the fastest lock for it.
/// A wait suspends a ULT and blocks an outside OS thread. It throws error: cannot_suspend (in a
/// tasklet). Only a stop token, or a late lazult::cancel(), can make a wait end without a
/// notification. notify_one() wakes the one that waited longest. Thread-safe.
class LAZULT_API condition_variable {
public:
    constexpr condition_variable() noexcept = default;
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    /// Wakes the waiter that has waited longest, if there is one. The caller need not hold the
    /// lock. Never suspends.
    void notify_one() noexcept;
    /// Wakes all threads that wait now, and none that begins to wait later. The caller need not
    /// hold the lock. Never suspends.
    void notify_all() noexcept;

    /// Unlocks, waits until it is notified, and locks again. May suspend. Throws what locking
    /// throws. `lock` must own its mutex.
    void wait(std::unique_lock<mutex>& lock) {
        wait_with_mutex(*lock.mutex(), detail::no_deadline);
    }
    /// Does what wait() does, with a lock of any type.
    template <class Lock>
    void wait(Lock& lock) {
        detail::lock_adaptor<Lock> any(lock);
        wait_with_any(any, detail::no_deadline);
    }
    /// Waits until ready() returns true. Calls it with the lock held. May suspend.
    template <class Lock, class Predicate>
    void wait(Lock& lock, Predicate ready) {
        while (!ready()) {
            wait(lock);
        }
    }

    /// Waits until it is notified, or until `when`. Returns timeout if `when` has come. May
    /// suspend.
    template <class Lock, class Clock, class Duration>
    std::cv_status wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> when) {
        wait_until_ns(lock, detail::deadline_at(when));
        return Clock::now() < when ? std::cv_status::no_timeout : std::cv_status::timeout;
    }
    /// Waits until ready() returns true, or until `when`. Returns the last result of ready().
    template <class Lock, class Clock, class Duration, class Predicate>
    bool wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> when, Predicate ready) {
        while (!ready()) {
            if (wait_until(lock, when) == std::cv_status::timeout) {
                return ready();
            }
        }
        return true;
    }

    /// Waits until it is notified, or for `span`. Returns timeout if that is over. May suspend.
    template <class Lock, class Rep, class Period>
    std::cv_status wait_for(Lock& lock, std::chrono::duration<Rep, Period> span) {
        return wait_until_ns(lock, detail::deadline_after(span)) ? std::cv_status::no_timeout
                                                                 : std::cv_status::timeout;
    }
    /// Waits until ready() returns true, or for `span`. Returns the last result of ready().
    template <class Lock, class Rep, class Period, class Predicate>
    bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> span, Predicate ready) {
        const std::int64_t deadline = detail::deadline_after(span);
        while (!ready()) {
            if (!wait_until_ns(lock, deadline)) {
                return ready();
            }
        }
        return true;
    }

    /// Waits until ready() returns true, or a stop is requested. Returns the last result of
    /// ready(). May suspend. Inside request_stop() a callback wakes the waiters; it never suspends.
    template <class Lock, class Predicate>
    bool wait(Lock& lock, std::stop_token stop, Predicate ready) {
        return wait_stoppable(lock, std::move(stop), detail::no_deadline, std::move(ready));
    }
    /// Does what wait() with a stop token does, but for at most `span`.
    template <class Lock, class Rep, class Period, class Predicate>
    bool wait_for(Lock& lock, std::stop_token stop, std::chrono::duration<Rep, Period> span,
                  Predicate ready) {
        return wait_stoppable(lock, std::move(stop), detail::deadline_after(span),
                              std::move(ready));
    }
    /// Does what wait() with a stop token does, but until `when` at the latest.
    template <class Lock, class Clock, class Duration, class Predicate>
    bool wait_until(Lock& lock, std::stop_token stop, std::chrono::time_point<Clock, Duration> when,
                    Predicate ready) {
        return wait_stoppable(lock, std::move(stop), detail::deadline_at(when), std::move(ready));
    }

private:
    // Both return false if the deadline passed.
    bool wait_with_mutex(mutex& m, std::int64_t deadline);
    bool wait_with_any(detail::any_lock& lock, std::int64_t deadline);

    bool wait_until_ns(std::unique_lock<mutex>& lock, std::int64_t deadline) {
        return wait_with_mutex(*lock.mutex(), deadline);
    }
    template <class Lock>
    bool wait_until_ns(Lock& lock, std::int64_t deadline) {
        detail::lock_adaptor<Lock> any(lock);
        return wait_with_any(any, deadline);
    }

    // A stop may be requested after the waiter has looked at the token and before its wait is
    // listed. The notify_all() of that request finds no waiter. So the waiter looks again once it
    // is listed, which is when its lock is released. The gate orders the two sides: the side that
    // passes it second sees what the other side did before.
    template <class Lock>
    class stoppable_lock final : public detail::any_lock {
    public:
        stoppable_lock(Lock& lock, const std::stop_token& stop,
                       condition_variable& waited_for) noexcept
            : lock_(lock), stop_(stop), waited_for_(waited_for) {}

        void lock() override { lock_.lock(); }
        void unlock() override {
            lock_.unlock();
            pass_gate();
            if (stop_.stop_requested()) {
                waited_for_.notify_all();
            }
        }
        void stop() noexcept {
            pass_gate();
            waited_for_.notify_all();
        }

    private:
        // pairs with: itself
        void pass_gate() noexcept { gate_.fetch_add(1, std::memory_order_acq_rel); }

        Lock& lock_;
        const std::stop_token& stop_;
        condition_variable& waited_for_;
        std::atomic<unsigned> gate_{0};
    };

    template <class Lock, class Predicate>
    bool wait_stoppable(Lock& lock, std::stop_token stop, std::int64_t deadline, Predicate ready) {
        stoppable_lock<Lock> both(lock, stop, *this);
        const std::stop_callback wake(stop, [&both]() noexcept { both.stop(); });
        while (!stop.stop_requested()) {
            if (ready()) {
                return true;
            }
            if (!wait_with_any(both, deadline)) {
                break;
            }
        }
        return ready();
    }

    alignas(8) std::byte state_[16]{};
};

/// condition_variable works with every lock.
using condition_variable_any = condition_variable;

}  // namespace lazult
