// SPDX-License-Identifier: BSD-3-Clause
// How a caller gives control up until the record of its wait (waiter.hpp) is released.
#pragma once

#include "lazult/sync/wait_trace.hpp"

namespace lazult::sync {

// How the caller of a function can wait. `unit` is the ULT that suspends; nullptr: the OS thread
// sleeps. `may_wait` is false in tasklets, run-to-completion units and schedulers' own loops,
// unless they are marked as blocking their thread. With that mark, only a stacked scheduler's loop
// has a `unit`.
struct caller {
    core::work_unit* unit;
    bool may_wait;
};
// Returns the caller for a unit that may not suspend, or for a scheduler's own code.
LAZULT_COLD caller blocking_caller(const core::worker& w) noexcept;

template <class Atomics = ds::default_atomics>
caller this_caller() noexcept {
    if constexpr (has_units<Atomics>) {
        const core::worker* w = core::this_worker_or_null();
        if (w == nullptr || w->here == nullptr) {
            return {nullptr, true};
        }
        core::work_unit* u = w->current;
        if (u == nullptr || !u->may_suspend()) LAZULT_UNLIKELY {
            return blocking_caller(*w);
        }
        return {u, true};
    }
    return {nullptr, true};
}

// Suspends the running ULT. A cancellation that arrives meanwhile is put off to the next scheduling
// point, because the wait may have obtained something, such as a lock, that must not be lost. A
// caller that has nothing to lose calls cancellation_point() afterwards. `after(argument)` runs on
// another stack after the switch, and begins with probe::acquire(argument).
void suspend_uncanceled(core::entry_function after, void* argument, core::work_unit* self);
// suspend_uncanceled() after trace(), which tells what a traced unit waits for.
template <class Trace>
void suspend_traced(core::entry_function after, void* argument, core::work_unit* self,
                    Trace trace) {
    core::tell_if_traced(*self, trace);
    suspend_uncanceled(after, argument, self);
}
// Honours the requests that came while the unit was suspended. A cancellation stays pending.
void put_requests_off(core::work_unit& self);
LAZULT_ALWAYS_INLINE void honour_requests_later(core::work_unit* self) {
    if (core::has_requests(*self)) LAZULT_UNLIKELY {
        put_requests_off(*self);
    }
}
// Yields to other ready units. Puts a cancellation off, as suspend_uncanceled() does, because
// another thread may still write to the caller's frame, which a cancellation would unwind.
void yield_uncanceled(core::work_unit* self);
// Honours pending cancellations and migrations. Does nothing if `self` is null.
void cancellation_point(core::work_unit* self);

// Lets a stop request end the waits of one caller, one wait after another. It calls `end(wait)` at
// most once for a wait, on any thread, between begin() and the return of watch_ended().
class stop_watch {
public:
    using end_function = void (*)(void* wait) noexcept;
    virtual void begin(void* wait, end_function end) noexcept = 0;
    virtual void watch_ended() noexcept = 0;

protected:
    ~stop_watch() = default;
};

// What may end a wait, besides the event that the caller waits for.
struct wait_limit {
    std::int64_t deadline_ns = no_deadline;
    core::cancelable how = core::cancelable::no;
    stop_watch* stop = nullptr;

    wait_limit(std::int64_t deadline) noexcept : deadline_ns(deadline) {}
    wait_limit(std::int64_t deadline, core::cancelable by, stop_watch* stops = nullptr) noexcept
        : deadline_ns(deadline), how(by), stop(stops) {}
    // Returns whether a timer or a stop request may end the wait, so that it needs a claim word.
    bool has_sources() const noexcept { return deadline_ns >= 0 || stop != nullptr; }
};

// Ends the process with a report: a caller that cannot block made a call that would block.
[[noreturn]] LAZULT_COLD void refuse_to_wait(const char* object, const char* alternative) noexcept;
// Ends the process with a report: unlock() was called without lock().
[[noreturn]] LAZULT_COLD void refuse_unlock(const char* object, const void* where,
                                            const char* cause) noexcept;

// Waits for one object, without a deadline. Calls `publish(me)` when the caller can be resumed.
// `publish` lists the record and returns true, or returns false if there is nothing to wait for any
// more. It must not touch a record that it has listed, because the wait may be over. It may run on
// the stack of the unit that runs next, so it is copied there.
template <class Atomics, class Publish>
LAZULT_ALWAYS_INLINE void block(waiter<Atomics>& me, Publish publish) {
    if constexpr (has_units<Atomics>) {
        if (me.unit != nullptr) {
            struct publication {
                Publish publish;
                waiter<Atomics>* record;
                LAZULT_ALWAYS_INLINE void operator()() noexcept {
                    core::work_unit* unit = record->unit;
                    const bool is_guarded = unit->wait.is_guarded();
                    if (!publish(*record)) LAZULT_UNLIKELY {
                        core::make_ready(core::this_worker_or_null(), unit);
                    } else if (is_guarded) {
                        core::settle_listing(unit);
                    }
                }
                static void run(void* argument) noexcept {
                    probe::acquire(argument);  // pairs with: suspend_uncanceled()
                    publication mine = *static_cast<publication*>(argument);
                    mine();
                }
            };
            const auto trace = [&me]() noexcept { trace_wait(me); };
            if (core::worker& w = core::running_worker(); core::may_leave_at_once(w, me.unit))
                LAZULT_LIKELY {
                core::leave_published<core::suspension_reason::waits>(
                    w, me.unit, w.here->pick(w), publication{publish, &me}, trace);
                honour_requests_later(me.unit);
            } else {
                publication late{publish, &me};
                suspend_traced(publication::run, &late, me.unit, trace);
            }
            return;
        }
    }
    if (publish(me)) {
        await_signal(me);
    }
}

}  // namespace lazult::sync
