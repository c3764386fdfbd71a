// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a thread may do to itself and to others. Model: std::this_thread and Argobots.
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

// Sleeps until a deadline in nanoseconds of std::chrono::steady_clock. Suspends a ULT and blocks an
// outside OS thread. Returns false when a stop was requested first.
LAZULT_API bool sleep_until_ns(std::int64_t deadline, const std::stop_token* stop = nullptr);

}  // namespace detail

/// ULTs, tasklets and outside OS threads may call these functions, unless a comment says otherwise.
///
/// A ULT that suspends may continue on another OS thread, unless only one stream serves its pool.
/// The value of errno moves with it. The addresses of errno and of thread_local variables do not,
/// and compilers keep such addresses over calls within one function: docs/thread-locals.md says
/// which code is safe.
namespace this_thread {

/// Returns the id of the caller. The id of main() changes when the runtime starts.
LAZULT_API thread_id get_id() noexcept;

/// Lets other ready units of this stream run. May suspend. In a tasklet it does nothing.
LAZULT_API void yield();
/// Runs `target` next if it is ready; else does what yield() does. May suspend. Throws error:
/// invalid_handle, cannot_suspend (not in a ULT).
LAZULT_API void yield_to(const thread& target);

/// Sleeps for `span`. Suspends a ULT, so that the stream runs other units meanwhile; a tasklet
/// blocks its stream.
template <class Rep, class Period>
void sleep_for(std::chrono::duration<Rep, Period> span) {
    if (span.count() > 0) {
        detail::sleep_until_ns(detail::deadline_after(span));
    }
}
/// Does what sleep_for() does, but until `when`.
template <class Clock, class Duration>
void sleep_until(std::chrono::time_point<Clock, Duration> when) {
    while (Clock::now() < when) {
        detail::sleep_until_ns(detail::deadline_at(when));
    }
}

/// Does what sleep_for() does, but returns false when a stop is requested first.
template <class Rep, class Period>
bool sleep_for(std::stop_token stop, std::chrono::duration<Rep, Period> span) {
    return span.count() <= 0 || detail::sleep_until_ns(detail::deadline_after(span), &stop);
}
/// Does what sleep_for() with a stop token does, but until `when`.
template <class Clock, class Duration>
bool sleep_until(std::stop_token stop, std::chrono::time_point<Clock, Duration> when) {
    while (Clock::now() < when) {
        if (!detail::sleep_until_ns(detail::deadline_at(when), &stop)) {
            return false;
        }
    }
    return true;
}

/// Suspends until lazult::resume(). Returns at once if resume() was called since the last
/// suspend(). Throws error: cannot_suspend (not in a ULT).
LAZULT_API void suspend();
/// Does what suspend() does, but returns false when a stop is requested first.
LAZULT_API bool suspend(std::stop_token stop);

/// Ends the calling thread. Unwinds its stack by an exception that no handler may keep. Throws
/// error: not_supported on an outside OS thread and on the primary ULT, which is main().
[[noreturn]] LAZULT_API void exit();

/// Returns the stop token of this thread, or of the group of this task. Elsewhere returns a token
/// by which no stop is requested. Throws error: out_of_memory.
LAZULT_API std::stop_token get_stop_token();
/// Returns what get_stop_token().stop_requested() would, but is cheaper: it makes no stop state.
LAZULT_API bool stop_requested() noexcept;

/// While such an object lives, lazult::cancel() does not unwind the thread that made it. A request
/// takes effect at the first wait or scheduling point after that. Use it in noexcept functions and
/// destructors that wait, and for work that must not be cut short. Objects nest. Destroy it in the
/// thread that made it. Model: pthread_setcancelstate.
class LAZULT_API cancellation_disabled {
public:
    cancellation_disabled() noexcept;
    ~cancellation_disabled();
    cancellation_disabled(const cancellation_disabled&) = delete;
    cancellation_disabled& operator=(const cancellation_disabled&) = delete;

private:
    alignas(8) std::byte state_[16];
};

/// Returns the technique by which the running unit was started; full on an outside OS thread.
LAZULT_API technique technique_used() noexcept;
/// Returns true if functions that suspend would suspend the caller: in a ULT.
LAZULT_API bool can_suspend() noexcept;
/// Returns the number of the caller's execution stream; -1 on an outside OS thread.
LAZULT_API int stream_rank() noexcept;

/// Returns the priority for priority pools, 0 (most urgent) to 7; 0 on an outside OS thread.
LAZULT_API int priority() noexcept;
/// Sets the priority, which holds from the next time that this unit becomes ready. Throws error:
/// invalid_argument, not_supported (not in a unit).
LAZULT_API void set_priority(int level);

/// Returns the name from the attributes, which may be shortened; empty if there is none.
LAZULT_API std::string name();

}  // namespace this_thread

/// Ends a wait in this_thread::suspend(). If the thread does not wait, its next suspend() returns
/// at once; several calls then count as one. Thread-safe. Never suspends. Throws error:
/// invalid_handle, freed_handle.
LAZULT_API void resume(thread_id id);
/// Does what the other resume() does, for a thread's object.
inline void resume(const thread& t) { resume(t.get_id()); }

/// Asks a thread to end. It ends before it starts, at its next scheduling point (a yield, the end
/// of a wait), or in its present or next wait. Prefer request_stop(). Model: pthread_cancel,
/// deferred. Thread-safe. Throws error: invalid_handle.
///
/// - The thread's stack is unwound by an exception of the library, so destructors run. A
///   catch (...) must rethrow it: then the thread ends. If it does not, the request is over, and
///   the thread continues.
/// - These waits end: join() and wait() of threads, wait() of task groups, sleep, suspend(),
///   condition variables (with the lock held again), semaphores, latches, barriers, channels,
///   eventuals, futures, compartments, wait_any. A call that need not wait is no wait. A thread
///   that waits for a mutex keeps waiting.
/// - A wait that was over already when the request came returns as usual; the next wait ends.
/// - These waits go on: in destructors that run because an exception passes, in the library's own
///   destructors, and while a this_thread::cancellation_disabled lives. A wait that ends in another
///   noexcept function, or in a destructor that was called without an exception, calls
///   std::terminate, as with pthread_cancel: disable cancellation there.
/// - join() and the wait of a task group may run a thread that has not started in the caller's
///   place, and cannot return before that thread ends: so it is cancelled with the caller. Joins
///   through other doors, such as ABT_thread_join, do not end, but a thread that they run in the
///   caller's place is cancelled with it, too.
/// - pthread_exit() unwinds the stack without an exception that the library could see. A destructor
///   that may wait then needs a this_thread::cancellation_disabled. Without one, a cancellation in
///   that wait calls std::terminate.
/// - A lazult::thread that the unwinding destroys is cancelled and joined.
/// - Threads outside the library, and main(), cannot be cancelled.
LAZULT_API void cancel(const thread& t);

/// Asks a thread to continue in another pool from its next scheduling point on. Calls `then` when
/// the thread moves, on the stream that it leaves; `then` must not suspend. One migration of a
/// thread at a time. Model: ABT_thread_migrate_to_pool. Throws error: invalid_handle, busy (the
/// last migration has not happened yet), out_of_memory.
LAZULT_API void migrate(const thread& t, pool& to, std::function<void(thread_id)> then = {});

}  // namespace lazult
