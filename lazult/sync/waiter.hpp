// SPDX-License-Identifier: BSD-3-Clause
// A flow that waits has one record on its own stack for each object that it waits for. A flow is a
// ULT, which suspends, or an OS thread outside the streams, which sleeps on a futex.
//
// The life of a record. Each step is taken once, by one flow:
//   made       the waiting flow
//   listed     linked into the object's queue, under the object's spin bit
//   taken      unlinked under the spin bit by a waker that claims it, or by the waiting flow, which
//              gave up
//   released   by the waker, in wake(): its last touch. From then on the record may be gone.
//
// A suspended wait that only one source can end (an untimed wait for one object) has no claim word:
// taking its record is the claim. In all other waits (timed waits, waits for several objects, waits
// with a stop token, flows that spin in place) the records, the timer and the stop request share
// one claim word. The source that claims it wakes the flow. A waker that loses drops the record and
// looks for another one.
//
// Cancellation resumes a unit, and claims nothing: the unit's wait word settles whether the waker
// or the interrupter makes it ready (core/unit/wait_word.hpp). An interrupted unit takes its record
// back under the spin bit, or claims its own claim word. If a waker was first, the wait has
// succeeded, and what it brought is not lost: the next wait ends instead.
//
// field     written by                    read by        order
// next,prev the holder of the spin bit    the same       the spin bit's
// claim     the flow, before it lists     wakers         the spin bit's
// granted.. the taker, before wake()      the flow       released by wake()
// signal    the taker, in wake()          the flow       release / acquire
#pragma once

#include "lazult/core/core.hpp"

#include <atomic>
#include <concepts>
#include <cstdint>

namespace lazult::sync {

using ds::alone;
using ds::swap_if;

// Deadlines are absolute, in os::now_ns()'s time; any negative number means never.
inline constexpr std::int64_t no_deadline = -1;

// The type of a plain shared field. The model checker's tests specialise it, so that races on it
// are seen.
template <class Atomics, class T>
struct plain_field {
    using type = T;
};

// Only the atomics that ship know ULTs; a model's flows are its threads.
template <class Atomics>
inline constexpr bool has_units = std::same_as<Atomics, ds::default_atomics>;

// Settles which of several sources ends a wait.
//   from        to           by                                 meaning
//   preparing   waiting      commit (the flow)                  it leaves, or has left: the claimer
//                                                               must resume it
//   preparing   claimed(k)   a waker, a timer, the flow itself  the flow is running, and finds it
//                                                               at commit
//   waiting     claimed(k)   a waker, a timer                   the claimer resumes the flow
// claimed(k) is final: k is the record's index, or timed_out, or withdrawn (by cancellation or a
// stop request).
template <class Atomics = ds::default_atomics>
class claim_word {
public:
    static constexpr std::uint32_t preparing = 0;
    static constexpr std::uint32_t waiting = 1;
    static constexpr std::uint32_t first_index = 2;
    static constexpr std::uint32_t withdrawn = 0xfffffffe;
    static constexpr std::uint32_t timed_out = 0xffffffff;

    // claim() does not return `listed`. It is a state of a record: listed, in a wait that may be
    // ended from outside.
    enum class result : std::uint8_t { lost, running, asleep, listed };

    // Anyone. `asleep`: the winner resumes the flow; `running`: the flow notices by itself.
    result claim(std::uint32_t who) noexcept {
        // pairs with: nothing: the CAS decides
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        while (seen == preparing || seen == waiting) {
            // acquire pairs with: commit(): the saved context, or that the unit is leaving
            // release pairs with: winner(): what the claimer did before
            if (word_.compare_exchange_strong(seen, who, std::memory_order_acq_rel,
                                              std::memory_order_relaxed)) {
                return seen == waiting ? result::asleep : result::running;
            }
        }
        return result::lost;
    }

    // By the flow as it leaves, or by the next flow on its behalf. False if the wait was claimed
    // before.
    bool commit() noexcept {
        std::uint32_t seen = preparing;
        // release pairs with: claim(): the saved context, or that the unit is leaving
        return word_.compare_exchange_strong(seen, waiting, std::memory_order_release,
                                             std::memory_order_relaxed);
    }

    // A result below first_index means that nobody has claimed the wait yet.
    std::uint32_t winner() const noexcept {
        return word_.load(std::memory_order_acquire);  // pairs with: claim()
    }

    // By an OS thread. False if the deadline has passed.
    bool sleep(std::int64_t deadline_ns) noexcept {
        // pairs with: claim()
        while (word_.load(std::memory_order_acquire) == waiting) {
            if (!Atomics::futex_wait(word_, waiting, deadline_ns)) {
                return false;
            }
        }
        return true;
    }
    // Uses only the address, because the word may be gone.
    void wake_thread() noexcept { Atomics::futex_wake(word_, 1); }

private:
    typename Atomics::template atomic<std::uint32_t> word_{preparing};
};

// The kind of object that a flow waits for, for reports of deadlocks. See wait_description.hpp.
enum class wait_kind : std::uint8_t {
    unknown,
    mutex,
    condition,
    rwlock,
    barrier,
    latch,
    semaphore,
    eventual,
    future,
    channel,
    lock,       // these are waits of OpenMP's
    turn,       // in an ordered loop
    iteration,  // of a loop with dependences
    tasks,      // with their dependences
    event,      // of a detached task
    region,     // in which others still are
    end_of_unit,
};

// 32 bytes of alignment: objects keep five bits in the address of the last record.
template <class Atomics = ds::default_atomics>
struct alignas(32) waiter {
    using link = typename plain_field<Atomics, waiter*>::type;
    using mark = typename plain_field<Atomics, bool>::type;

    explicit waiter(core::work_unit* flow, wait_kind what = wait_kind::unknown,
                    const void* where = nullptr) noexcept
        : unit(flow), kind(what), object(where) {}
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

    link next{nullptr};
    link prev{nullptr};
    core::work_unit* unit;                 // nullptr: an OS thread
    claim_word<Atomics>* claim = nullptr;  // nullptr: taking the record is the claim
    std::uint32_t index = claim_word<Atomics>::first_index;
    typename Atomics::template atomic<std::uint32_t> signal{0};
    typename claim_word<Atomics>::result claimed = claim_word<Atomics>::result::asleep;
    mark granted{false};    // the object gave what was waited for, with the wake-up
    mark marked{false};     // mutex: the woken bit stands for this flow
    bool starved = false;   // mutex: must not lose again
    bool in_front = false;  // mutex: it was woken before, and lost
    bool shared = false;    // rwlock: a reader
    bool for_all = false;   // condition: its wait ended together with all others
    wait_kind kind;
    void* buffer = nullptr;  // channel: where an element comes from or goes to
    const void* object;
};
static_assert(sizeof(waiter<>) == 64);

// A queue of records is a ring. The object keeps the address of the last record, because its word
// has room for one address. These functions run under the object's spin bit.
template <class Atomics>
waiter<Atomics>* first_of(waiter<Atomics>* last) noexcept {
    return last == nullptr ? nullptr : static_cast<waiter<Atomics>*>(last->next);
}

template <class Atomics>
void link_behind(waiter<Atomics>* place, waiter<Atomics>* w) noexcept {
    if (place == nullptr) {
        w->next = w;
        w->prev = w;
        return;
    }
    waiter<Atomics>* after = place->next;
    w->next = after;
    w->prev = place;
    after->prev = w;
    place->next = w;
}

// These return the new last record.
template <class Atomics>
waiter<Atomics>* push_back(waiter<Atomics>* last, waiter<Atomics>* w) noexcept {
    link_behind(last, w);
    return w;
}

template <class Atomics>
waiter<Atomics>* push_front(waiter<Atomics>* last, waiter<Atomics>* w) noexcept {
    link_behind(last, w);
    return last == nullptr ? w : last;
}

template <class Atomics>
waiter<Atomics>* unlink(waiter<Atomics>* last, waiter<Atomics>* w) noexcept {
    waiter<Atomics>* before = w->prev;
    waiter<Atomics>* after = w->next;
    w->next = nullptr;
    if (before == w) {
        return nullptr;
    }
    before->next = after;
    after->prev = before;
    return last == w ? before : last;
}

template <class Atomics>
bool is_listed(const waiter<Atomics>& w) noexcept {
    return static_cast<waiter<Atomics>*>(w.next) != nullptr;
}

// Under the spin bit. True when the caller may, and must, wake the flow.
template <class Atomics>
bool claim(waiter<Atomics>* w) noexcept {
    if (w->claim == nullptr) {
        w->claimed = claim_word<Atomics>::result::asleep;
        return true;
    }
    w->claimed = w->claim->claim(w->index);
    return w->claimed != claim_word<Atomics>::result::lost;
}

// Unlinks and claims the first record that can be claimed. It also unlinks the records before that
// one: other sources have claimed their waits. nullptr: none is left. Under the spin bit.
template <class Atomics>
waiter<Atomics>* take_first(waiter<Atomics>*& last) noexcept {
    while (last != nullptr) {
        waiter<Atomics>* w = first_of(last);
        last = unlink(last, w);
        if (claim(w)) {
            return w;
        }
    }
    return nullptr;
}

// The rest of wake(), for flows that are running, and for OS threads.
template <class Atomics>
LAZULT_NOINLINE void signal_flow(waiter<Atomics>* w) noexcept {
    claim_word<Atomics>* shared_claim = w->claim;
    const bool asleep = w->claimed == claim_word<Atomics>::result::asleep;
    auto& signal = w->signal;
    signal.store(1, std::memory_order_release);  // pairs with: await_release(), await_signal()
    if (shared_claim == nullptr) {
        Atomics::futex_wake(signal, 1);
    } else if (asleep) {
        shared_claim->wake_thread();
    }
}

// How a flow is resumed: as any other flow (none); beside the waker, because it shares data with
// the waker (beside); or soon, because others wait for what it was given (soon).
enum class urgency : std::uint8_t { none, beside, soon };
LAZULT_ALWAYS_INLINE void make_ready(core::work_unit* unit, urgency how) noexcept {
    core::worker* const w = core::this_worker_or_null();
    switch (how) {
        case urgency::none: core::make_ready(w, unit); break;
        case urgency::beside: core::make_ready_beside(w, unit); break;
        case urgency::soon: core::make_ready_soon(w, unit); break;
    }
}

// Releases a record that was taken, and resumes its flow unless that is running.
template <class Atomics>
LAZULT_ALWAYS_INLINE void wake(waiter<Atomics>* w, urgency how = urgency::none) noexcept {
    if constexpr (has_units<Atomics>) {
        core::work_unit* unit = w->unit;
        if (unit != nullptr && w->claimed == claim_word<Atomics>::result::asleep) LAZULT_LIKELY {
            if (w->claim != nullptr) {
                w->signal.store(1, std::memory_order_release);  // pairs with: await_release()
            }
            if (!unit->wait.resume()) LAZULT_UNLIKELY {  // the last touch of the record
                return;
            }
            make_ready(unit, how);
            return;
        }
    }
    signal_flow(w);
}

// Records that were taken under the spin bit, to be woken when it is clear: linked by next, and
// ended by null. Flows that are running come first: they wait for the record, and their streams
// wait for them. All other flows only become ready.
template <class Atomics>
class record_chain {
public:
    void add(waiter<Atomics>* taken) noexcept {
        taken->next = nullptr;
        if (end_ != nullptr && taken->claimed == claim_word<Atomics>::result::running) {
            taken->next = first_;
            first_ = taken;
            return;
        }
        if (end_ == nullptr) {
            first_ = taken;
        } else {
            end_->next = taken;
        }
        end_ = taken;
    }
    waiter<Atomics>* first() const noexcept { return first_; }

private:
    waiter<Atomics>* first_ = nullptr;
    waiter<Atomics>* end_ = nullptr;
};

// Wakes a chain, in order.
template <class Atomics>
void wake_all(waiter<Atomics>* first, urgency how = urgency::none) noexcept {
    while (first != nullptr) {
        waiter<Atomics>* next = first->next;
        wake(first, how);
        first = next;
    }
}

// For spinning until another OS thread has done something that takes it a few instructions. That
// thread may have been preempted in between: then it needs a processor more than the spinner does.
template <class Atomics>
class brief_spin {
public:
    void pause() noexcept {
        Atomics::pause();
        if constexpr (has_units<Atomics>) {
            if (++rounds_ % rounds_per_yield == 0) {
                os::yield_thread();
            }
        }
    }
    // Call it before the next look at a spin bit that another flow holds. Each look takes the line
    // away from the holder, which may be about to use it again, and again. Two streams over one
    // channel took 90 ns an element with one pause, and 30 ns with these.
    void pause_for_holder() noexcept {
        for (unsigned i = 0; i < pauses_for_holder; ++i) {
            pause();
        }
    }

private:
    static constexpr unsigned pauses_for_holder = has_units<Atomics> ? 16 : 1;
    static constexpr unsigned rounds_per_yield = 128;
    unsigned rounds_ = 0;
};

// By the waiter itself, after a waker has claimed the wait by this record. Waits until the waker
// has released the record.
template <class Atomics>
void await_release(waiter<Atomics>& me) noexcept {
    brief_spin<Atomics> spin;
    while (me.signal.load(std::memory_order_acquire) == 0) {  // pairs with: wake()
        spin.pause();
    }
}

// By an OS thread, in a wait that only a waker can end.
template <class Atomics>
void await_signal(waiter<Atomics>& me) noexcept {
    while (me.signal.load(std::memory_order_acquire) == 0) {  // pairs with: wake()
        Atomics::futex_wait(me.signal, 0, no_deadline);
    }
}

// The caller. `unit` is set for ULTs that may suspend. `may_wait` is false in tasklets,
// run-to-completion units and schedulers' own loops, unless they are marked as blocking their
// thread. If they are, `unit` is null, except in the loops of stacked schedulers.
struct flow {
    core::work_unit* unit;
    bool may_wait;
};
// The flow of a unit that may not suspend, or of a scheduler's own code.
LAZULT_COLD flow blocking_flow(const core::worker& w) noexcept;

template <class Atomics = ds::default_atomics>
flow this_flow() noexcept {
    if constexpr (has_units<Atomics>) {
        const core::worker* w = core::this_worker_or_null();
        if (w == nullptr || w->here == nullptr) {
            return {nullptr, true};
        }
        core::work_unit* u = w->current;
        if (u == nullptr || !u->may_suspend()) LAZULT_UNLIKELY {
            return blocking_flow(*w);
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

// A stop request for the waits of one flow, one after another. It calls `end(wait)` at most once,
// in any flow, between begin() and the return of watch_ended().
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

// An untimed wait for one object. block() calls `publish(me)` once the flow can be resumed.
// `publish` lists the record, or returns false if there is nothing to wait for any more. It must
// not touch the record after it has listed it. It may run on the stack of the flow that runs next,
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
