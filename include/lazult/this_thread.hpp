// SPDX-License-Identifier: BSD-3-Clause
// What a flow does about itself, and what one flow may do to another. Model: std::this_thread and Argobots.
#pragma once

#include <lazult/detail/deadline.hpp>
#include <lazult/error.hpp>
#include <lazult/export.hpp>
#include <lazult/thread.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace lazult {

class pool;

namespace detail {

// In nanoseconds of std::chrono::steady_clock. May suspend; on an outside OS thread it blocks that.
LAZULT_API void sleep_until_ns(std::int64_t deadline);

}  // namespace detail

// All of these may be called from ULTs, tasklets and outside OS threads, unless it says otherwise.
//
// A ULT that suspends may go on upon another OS thread, unless one stream alone serves its pool. The value of errno
// goes with it. The addresses of errno and of thread_local variables do not, and compilers keep such addresses over
// calls within one function: docs/thread-locals.md says which code is safe.
namespace this_thread {

// Of the running unit, or of the outside OS thread. main() has another one once the runtime runs.
LAZULT_API thread_id get_id() noexcept;

// Lets other ready units of this stream run; a tasklet goes on at once. May suspend.
LAZULT_API void yield();
// Runs this thread next if it is ready, else as yield(). May suspend.
// Throws error: invalid_handle, cannot_suspend (not in a ULT).
LAZULT_API void yield_to(const thread& target);

// On real timers: the stream runs other units meanwhile. May suspend; a tasklet blocks its stream.
template <class Rep, class Period>
void sleep_for(std::chrono::duration<Rep, Period> span) {
    if (span.count() > 0) {
        detail::sleep_until_ns(detail::deadline_after(span));
    }
}
template <class Clock, class Duration>
void sleep_until(std::chrono::time_point<Clock, Duration> when) {
    while (Clock::now() < when) {
        detail::sleep_until_ns(detail::deadline_at(when));
    }
}

// Waits until lazult::resume(); returns at once if one came since the last suspend(). Suspends.
// Throws error: cannot_suspend (not in a ULT).
LAZULT_API void suspend();

// Ends this thread here: its stack is unwound by an exception that no handler may keep.
// Throws error: not_supported on an outside OS thread and on the primary ULT, which is main().
[[noreturn]] LAZULT_API void exit();

// That of this thread, or of the group of this task; one that never stops elsewhere.
LAZULT_API std::stop_token get_stop_token();
// As get_stop_token().stop_requested(), and cheaper: nothing is made.
LAZULT_API bool stop_requested() noexcept;

// How the running unit was started. full on an outside OS thread.
LAZULT_API technique technique_used() noexcept;
// Whether suspending functions would suspend: true in a ULT.
LAZULT_API bool can_suspend() noexcept;
// The number of the execution stream; -1 on an outside OS thread.
LAZULT_API int stream_rank() noexcept;

// 0 (most urgent) to 7; 0 on an outside OS thread. It counts in a priority pool.
LAZULT_API int priority() noexcept;
// From the next time on that this unit becomes ready.
// Throws error: invalid_argument, not_supported (not in a unit).
LAZULT_API void set_priority(int level);

// As the attributes gave it, shortened; empty for what has none.
LAZULT_API std::string name();

}  // namespace this_thread

// Ends a wait in this_thread::suspend(), or makes the next one return at once; one is kept. Thread-safe.
// Throws error: invalid_handle, freed_handle.
LAZULT_API void resume(thread_id id);
inline void resume(const thread& t) { resume(t.get_id()); }

// Asks a thread to end at its next scheduling point, or before it starts: its stack is unwound, as by
// this_thread::exit(). Prefer request_stop(). Model: pthread_cancel. Thread-safe.
// Throws error: invalid_handle.
LAZULT_API void cancel(const thread& t);

// Asks a thread to continue in another pool from its next scheduling point on, and calls `then` when it does, on the
// stream that it leaves; it must not suspend. One at a time. Model: ABT_thread_migrate_to_pool.
// Throws error: invalid_handle, busy (one is on its way), out_of_memory.
LAZULT_API void migrate(const thread& t, pool& to, std::function<void(thread_id)> then = {});

}  // namespace lazult
