// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Readers and writers.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lazult {

/// Model: std::shared_timed_mutex; works in std::shared_lock and std::unique_lock. A writer that
/// waits keeps new readers out, and readers that wait go before the next writer. Locking may
/// suspend. Throws error: cannot_suspend (in a tasklet, when it would have to wait).
class LAZULT_API shared_mutex {
public:
    constexpr shared_mutex() noexcept = default;
    shared_mutex(const shared_mutex&) = delete;
    shared_mutex& operator=(const shared_mutex&) = delete;

    /// For one writer. May suspend.
    void lock();
    /// False when it would have to wait. Never suspends.
    bool try_lock() noexcept;
    /// By its writer, on whichever stream that is by now. Never suspends. Ends the process, with a
    /// report, when no writer has locked it.
    void unlock() noexcept;
    /// For a reader, among any number. May suspend; also while a writer waits, so a thread that
    /// reads already may not lock again.
    void lock_shared();
    /// False when it would have to wait. Never suspends.
    bool try_lock_shared() noexcept;
    /// By one of its readers. Never suspends. Ends the process, with a report, when no reader has
    /// locked it.
    void unlock_shared() noexcept;

    /// False when the time is over.
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> span) {
        return lock_until(detail::deadline_after(span));
    }
    /// As try_lock_for(), but until a point of time.
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_until(detail::deadline_at(when));
    }
    /// For a reader: false when the time is over.
    template <class Rep, class Period>
    bool try_lock_shared_for(std::chrono::duration<Rep, Period> span) {
        return lock_shared_until(detail::deadline_after(span));
    }
    /// As try_lock_shared_for(), but until a point of time.
    template <class Clock, class Duration>
    bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> when) {
        return lock_shared_until(detail::deadline_at(when));
    }

private:
    bool lock_until(std::int64_t deadline);
    bool lock_shared_until(std::int64_t deadline);

    alignas(8) std::byte state_[32]{};
};

/// There is one class for both.
using shared_timed_mutex = shared_mutex;

}  // namespace lazult
