// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a thread does about itself, and what one thread may do to another. Model: std::this_thread
/// and Argobots.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/error.hpp>
#include <lazult/export.hpp>
#include <lazult/thread.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace lazult {

class pool;

namespace detail {

// In nanoseconds of std::chrono::steady_clock. May suspend; on an outside OS thread it blocks that.
// False when the stop request came first.
LAZULT_API bool sleep_until_ns(std::int64_t deadline, const std::stop_token* stop = nullptr);

}  // namespace detail

/// All of these may be called from ULTs, tasklets and outside OS threads, unless it says otherwise.
///
/// A ULT that suspends may go on upon another OS thread, unless one stream alone serves its pool.
/// The value of errno goes with it. The addresses of errno and of thread_local variables do not,
/// and compilers keep such addresses over calls within one function: docs/thread-locals.md says
/// which code is safe.
namespace this_thread {

/// Of the running unit, or of the outside OS thread. main() has another one once the runtime runs.
LAZULT_API thread_id get_id() noexcept;

/// Lets other ready units of this stream run; a tasklet goes on at once. May suspend.
LAZULT_API void yield();
/// Runs this thread next if it is ready, else as yield(). May suspend.
/// Throws error: invalid_handle, cannot_suspend (not in a ULT).
LAZULT_API void yield_to(const thread& target);

/// On real timers: the stream runs other units meanwhile. May suspend; a tasklet blocks its stream.
template <class Rep, class Period>
void sleep_for(std::chrono::duration<Rep, Period> span) {
    if (span.count() > 0) {
        detail::sleep_until_ns(detail::deadline_after(span));
    }
}
/// As sleep_for(), but until a point of time.
template <class Clock, class Duration>
void sleep_until(std::chrono::time_point<Clock, Duration> when) {
    while (Clock::now() < when) {
        detail::sleep_until_ns(detail::deadline_at(when));
    }
}

/// Also end when a stop is requested: then false.
template <class Rep, class Period>
bool sleep_for(std::stop_token stop, std::chrono::duration<Rep, Period> span) {
    return span.count() <= 0 || detail::sleep_until_ns(detail::deadline_after(span), &stop);
}
/// As sleep_for() with a stop token, but until a point of time.
template <class Clock, class Duration>
bool sleep_until(std::stop_token stop, std::chrono::time_point<Clock, Duration> when) {
    while (Clock::now() < when) {
        if (!detail::sleep_until_ns(detail::deadline_at(when), &stop)) {
            return false;
        }
    }
    return true;
}

/// Waits until lazult::resume(); returns at once if one came since the last suspend(). Suspends.
/// Throws error: cannot_suspend (not in a ULT).
LAZULT_API void suspend();
/// Also ends when a stop is requested: then false.
LAZULT_API bool suspend(std::stop_token stop);

/// Ends this thread here: its stack is unwound by an exception that no handler may keep.
/// Throws error: not_supported on an outside OS thread and on the primary ULT, which is main().
[[noreturn]] LAZULT_API void exit();

/// That of this thread, or of the group of this task; one that never stops elsewhere.
LAZULT_API std::stop_token get_stop_token();
/// As get_stop_token().stop_requested(), and cheaper: nothing is made.
LAZULT_API bool stop_requested() noexcept;

/// While one lives, lazult::cancel() does not unwind this thread: what was asked for takes effect
/// at the first wait or scheduling point after it. For noexcept functions and destructors that
/// wait, and for what must not be cut short. They nest. Model: pthread_setcancelstate. In the
/// thread that made it only.
class LAZULT_API cancellation_disabled {
public:
    cancellation_disabled() noexcept;
    ~cancellation_disabled();
    cancellation_disabled(const cancellation_disabled&) = delete;
    cancellation_disabled& operator=(const cancellation_disabled&) = delete;

private:
    alignas(8) std::byte state_[16];
};

/// How the running unit was started. full on an outside OS thread.
LAZULT_API technique technique_used() noexcept;
/// Whether suspending functions would suspend: true in a ULT.
LAZULT_API bool can_suspend() noexcept;
/// The number of the execution stream; -1 on an outside OS thread.
LAZULT_API int stream_rank() noexcept;

/// 0 (most urgent) to 7; 0 on an outside OS thread. It counts in a priority pool.
LAZULT_API int priority() noexcept;
/// From the next time on that this unit becomes ready.
/// Throws error: invalid_argument, not_supported (not in a unit).
LAZULT_API void set_priority(int level);

/// As the attributes gave it, shortened; empty for what has none.
LAZULT_API std::string name();

}  // namespace this_thread

/// Ends a wait in this_thread::suspend(), or makes the next one return at once; one is kept.
/// Thread-safe. Throws error: invalid_handle, freed_handle.
LAZULT_API void resume(thread_id id);
/// The same, by the thread's object.
inline void resume(const thread& t) { resume(t.get_id()); }

/// Asks a thread to end: before it starts, at its next scheduling point (yield, exit of a wait), or
/// in a wait, the present one or the next. Prefer request_stop(). Model: pthread_cancel, deferred.
/// Thread-safe. Throws error: invalid_handle.
///
/// - Its stack is unwound by an exception of the library's own, so destructors run. A catch (...)
///   must throw it on: then the thread ends. One that does not has used the request up, and the
///   thread goes on.
/// - These waits end: join() and wait() of threads, wait() of task groups, sleep, suspend(),
///   condition variables (with the lock held again), semaphores, latches, barriers, channels,
///   eventuals, futures, compartments, wait_any. What needs no waiting is no wait. Locking a mutex
///   is not ended.
/// - What a wait had been given when the request came is not lost: it returns as ever, and the next
///   one ends.
/// - While an exception passes, in the destructors that it calls, waits go on. So they do in those
///   that the library's own destructors make, and where this_thread::cancellation_disabled lives. A
///   wait that ends in another noexcept function, or in a destructor that was called without an
///   exception, calls std::terminate, as with pthread_cancel: disable it there.
/// - join() and the wait of a task group may run a thread that has not started in the caller's
///   place. They cannot be left before it ends: so it is cancelled with the caller. Joins through
///   the other doors, such as ABT_thread_join, are not ended, but what they run in the caller's
///   place is cancelled with it, too.
/// - pthread_exit() unwinds the stack without an exception that the library could see: where a
///   destructor then waits, hold a this_thread::cancellation_disabled in it. Without one, a
///   cancellation in that wait calls std::terminate.
/// - A lazult::thread that the unwinding destroys is cancelled and joined.
/// - Threads outside the library, and main(), cannot be cancelled.
LAZULT_API void cancel(const thread& t);

/// Asks a thread to continue in another pool from its next scheduling point on, and calls `then`
/// when it does, on the stream that it leaves; it must not suspend. One at a time. Model:
/// ABT_thread_migrate_to_pool. Throws error: invalid_handle, busy (one is on its way),
/// out_of_memory.
LAZULT_API void migrate(const thread& t, pool& to, std::function<void(thread_id)> then = {});

}  // namespace lazult
