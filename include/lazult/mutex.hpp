// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Mutual exclusion. All of it is for ULTs, which suspend while they wait, for outside OS threads,
/// which sleep, and for tasklets by try_lock.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lazult {

namespace detail {
struct mutex_access;
}

/// Model: std::timed_mutex; works in std::unique_lock, std::lock_guard and std::scoped_lock. An
/// unlock wakes one waiter; nobody starves. A ULT may continue on another stream while it holds the
/// lock.
class LAZULT_API mutex {
public:
    constexpr mutex() noexcept = default;
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    /// May suspend. Throws error: cannot_suspend (in a tasklet, when the mutex stays locked).
    void lock();
    /// False when it is locked, also by the caller. Never suspends.
    bool try_lock() noexcept;
    /// By the thread that locked it, on whichever stream that is by now. Never suspends. Ends the
    /// process, with a report, when nobody has locked it.
    void unlock() noexcept;

    /// False when the time is over. May suspend. Throw as lock().
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> span) {
        return lock_until(detail::deadline_after(span));
    }
    /// As try_lock_for(), but until a point of time.
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_until(detail::deadline_at(when));
    }

private:
    friend struct detail::mutex_access;
    bool lock_until(std::int64_t deadline);

    alignas(8) std::byte state_[16]{};
};

/// There is one class for both.
using timed_mutex = mutex;

/// Model: std::recursive_timed_mutex. Its owner, a unit or an outside OS thread, may lock it again.
/// Unlocking what one does not own ends the process with a message.
class LAZULT_API recursive_mutex {
public:
    constexpr recursive_mutex() noexcept = default;
    recursive_mutex(const recursive_mutex&) = delete;
    recursive_mutex& operator=(const recursive_mutex&) = delete;

    /// As mutex's.
    void lock();
    /// False when another thread has it. Never suspends.
    bool try_lock() noexcept;
    /// As often as it was locked. Never suspends.
    void unlock() noexcept;
    /// False when the time is over. May suspend. Throw as lock().
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> span) {
        return lock_until(detail::deadline_after(span));
    }
    /// As try_lock_for(), but until a point of time.
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_until(detail::deadline_at(when));
    }

private:
    bool lock_until(std::int64_t deadline);

    alignas(8) std::byte state_[32]{};
};

/// There is one class for both.
using recursive_timed_mutex = recursive_mutex;

}  // namespace lazult
