// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Mutexes for many readers or one writer.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lazult {

/// Model: std::shared_timed_mutex; works in std::shared_lock and std::unique_lock. A writer that
/// waits keeps new readers out, and readers that wait go before the next writer. The functions that
/// wait throw error: cannot_suspend (in a tasklet, when they would have to wait). Thread-safe.
class LAZULT_API shared_mutex {
public:
    constexpr shared_mutex() noexcept = default;
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    /// Locks for one writer. May suspend.
    void lock();
    /// Locks for one writer, or returns false if that would need a wait. Never suspends.
    bool try_lock() noexcept;
    /// Unlocks. Only the writer that locked it may call this, on any stream. Never suspends. Ends
    /// the process, with a report, when no writer has locked it.
    void unlock() noexcept;
    /// Locks for a reader, among any number. May suspend, also while a writer waits. So a thread
    /// that has locked it for reading must not lock it again.
    void lock_shared();
    /// Locks for a reader, or returns false if that would need a wait. Never suspends.
    bool try_lock_shared() noexcept;
    /// Unlocks for one reader. Never suspends. Ends the process, with a report, if there is none.
    void unlock_shared() noexcept;

    /// Locks for one writer, or returns false after `span`. May suspend.
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> span) {
        return lock_until(detail::deadline_after(span));
    }
    /// Does what try_lock_for() does, but until `when`.
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_until(detail::deadline_at(when));
    }
    /// Locks for a reader, or returns false after `span`. May suspend.
    template <class Rep, class Period>
    bool try_lock_shared_for(std::chrono::duration<Rep, Period> span) {
        return lock_shared_until(detail::deadline_after(span));
    }
    /// Does what try_lock_shared_for() does, but until `when`.
    template <class Clock, class Duration>
    bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_shared_until(detail::deadline_at(when));
    }

private:
    bool lock_until(std::int64_t deadline);
    bool lock_shared_until(std::int64_t deadline);

    alignas(8) std::byte state_[32]{};
};

/// shared_mutex has the timed functions, too.
using shared_timed_mutex = shared_mutex;

}  // namespace lazult
