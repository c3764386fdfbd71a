// SPDX-License-Identifier: BSD-3-Clause
// How a caller gives control up until the record of its wait is released (waiter.hpp).
#pragma once

#include "lazult/sync/waiter.hpp"

namespace lazult::sync {

// The caller. `unit` is set for ULTs that may suspend. `may_wait` is false in tasklets,
// run-to-completion units and schedulers' own loops, unless they are marked as blocking their
// thread. If they are, `unit` is null, except in the loops of stacked schedulers.
struct caller {
    core::work_unit* unit;
    bool may_wait;
};
// The caller of a unit that may not suspend, or of a scheduler's own code.
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
// point, so that what the wait was about is not lost. A caller that has nothing to lose calls
// cancellation_point() later.
// `after(argument)` runs on another stack, and begins with probe::acquire(argument).
void suspend_uncanceled(core::entry_function after, void* argument, core::work_unit* self);
// Honours the requests that came while the unit was suspended, except for a cancellation, which
// stays pending.
void put_requests_off(core::work_unit& self);
LAZULT_ALWAYS_INLINE void honour_requests_later(core::work_unit* self) {
    if (core::has_requests(*self)) LAZULT_UNLIKELY {
        put_requests_off(*self);
    }
}
// Yields to other ready units, and puts a cancellation off, as suspend_uncanceled() does. For a
// caller in a frame that something else still writes to: a cancellation would unwind it.
void yield_uncanceled(core::work_unit* self);
// Honours cancellation and migration; `self` may be null.
void cancellation_point(core::work_unit* self);

// A stop request for the waits of one caller, one after another. It calls `end(wait)` at most once,
// in any caller, between begin() and the return of watch_ended().
class stop_watch {
public:
    using end_function = void (*)(void* wait) noexcept;
    virtual void begin(void* wait, end_function end) noexcept = 0;
    virtual void watch_ended() noexcept = 0;

protected:
    ~stop_watch() = default;
};

// What may end a wait, other than the event that it waits for.
struct wait_limit {
    std::int64_t deadline_ns = no_deadline;
    core::cancelable how = core::cancelable::no;
    stop_watch* stop = nullptr;

    wait_limit(std::int64_t deadline) noexcept : deadline_ns(deadline) {}
    wait_limit(std::int64_t deadline, core::cancelable by, stop_watch* stops = nullptr) noexcept
        : deadline_ns(deadline), how(by), stop(stops) {}
    // Whether the wait needs a claim word.
    bool has_sources() const noexcept { return deadline_ns >= 0 || stop != nullptr; }
};

// Reports a call that would block, by a caller that cannot block.
[[noreturn]] LAZULT_COLD void refuse_to_wait(const char* object, const char* alternative) noexcept;
// Reports an unlock() without a lock().
[[noreturn]] LAZULT_COLD void refuse_unlock(const char* object, const void* where,
                                            const char* cause) noexcept;

// An untimed wait for one object. block() calls `publish(me)` once the caller can be resumed.
// `publish` lists the record, or returns false if there is nothing to wait for any more. It must
// not touch the record after it has listed it. It may run on the stack of the unit that runs next,
// and is copied there for that reason.
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
            if (core::worker& w = core::running_worker(); core::may_leave_at_once(w, me.unit))
                LAZULT_LIKELY {
                core::leave_published<core::suspension_reason::waits>(w, me.unit, w.here->pick(w),
                                                                      publication{publish, &me});
                honour_requests_later(me.unit);
            } else {
                publication late{publish, &me};
                suspend_uncanceled(publication::run, &late, me.unit);
            }
            return;
        }
    }
    if (publish(me)) {
        await_signal(me);
    }
}

}  // namespace lazult::sync
