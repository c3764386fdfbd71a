// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Mutexes. Waiting suspends a ULT and blocks an outside OS thread. Tasklets may call try_lock().
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
/// unlock wakes one waiter; no waiter starves. A ULT may continue on another stream while it holds
/// the lock. Thread-safe.
class LAZULT_API mutex {
public:
    constexpr mutex() noexcept = default;
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    /// Locks it. May suspend. Throws error: cannot_suspend (in a tasklet, if it stays locked).
    void lock();
    /// Locks the mutex, or returns false if it is locked, also by the caller. Never suspends.
    bool try_lock() noexcept;
    /// Unlocks the mutex. Only the thread that locked it may call this, on any stream. Never
    /// suspends. Ends the process, with a report, when the mutex is not locked.
    void unlock() noexcept;

    /// Locks the mutex, or returns false after `span`. May suspend. Throws as lock().
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> span) {
        return lock_until(detail::deadline_after(span));
    }
    /// Does what try_lock_for() does, but until `when`.
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_until(detail::deadline_at(when));
    }

private:
    friend struct detail::mutex_access;
    bool lock_until(std::int64_t deadline);

    alignas(8) std::byte state_[16]{};
};

/// mutex has the timed functions, too.
using timed_mutex = mutex;

/// A mutex that its owner, a unit or an outside OS thread, may lock again. Model:
/// std::recursive_timed_mutex. Unlocking it without owning it ends the process. Thread-safe.
class LAZULT_API recursive_mutex {
public:
    constexpr recursive_mutex() noexcept = default;
    recursive_mutex(const recursive_mutex&) = delete;
    recursive_mutex& operator=(const recursive_mutex&) = delete;

    /// Locks the mutex once more. May suspend. Throws as mutex::lock().
    void lock();
    /// Locks the mutex once more, or returns false if another thread has it. Never suspends.
    bool try_lock() noexcept;
    /// Undoes one lock(). Never suspends.
    void unlock() noexcept;
    /// Locks the mutex, or returns false after `span`. May suspend. Throws as lock().
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> span) {
        return lock_until(detail::deadline_after(span));
    }
    /// Does what try_lock_for() does, but until `when`.
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_until(detail::deadline_at(when));
    }

private:
    bool lock_until(std::int64_t deadline);

    alignas(8) std::byte state_[32]{};
};

/// recursive_mutex has the timed functions, too.
using recursive_timed_mutex = recursive_mutex;

}  // namespace lazult
