// SPDX-License-Identifier: BSD-3-Clause
// A caller that waits has one record on its own stack for each object that it waits for. A caller
// is a ULT, which suspends, or an OS thread outside the streams, which sleeps on a futex.
//
// The life of a record. Each step is taken once, by one thread:
//   made       the caller
//   listed     linked into the object's queue, under the object's spin bit
//   taken      unlinked under the spin bit by a waker that claims it, or by the caller, which gave
//              up
//   released   by the waker, in wake(): its last touch. From then on the record may be gone.
//
// A suspended wait that only one source can end (an untimed wait for one object) has no claim word:
// taking its record is the claim. In all other waits (timed waits, waits for several objects, waits
// with a stop token, callers that spin in place) the records, the timer and the stop request share
// one claim word. The source that claims it wakes the caller. A waker that loses drops the record
// and looks for another one.
//
// Cancellation resumes a unit, and claims nothing: the unit's wait word settles whether the waker
// or the interrupter makes it ready (core/unit/wait_word.hpp). An interrupted unit takes its record
// back under the spin bit, or claims its own claim word. If a waker was first, the wait has
// succeeded, and what it brought is not lost: the next wait ends instead.
//
// field     written by                    read by        order
// next,prev the holder of the spin bit    the same       the spin bit's
// claim     the caller, before it lists   wakers         the spin bit's
// granted.. the taker, before wake()      the caller     released by wake()
// signal    the taker, in wake()          the caller     release / acquire
#pragma once

#include "lazult/core/core.hpp"
#include "lazult/sync/wait_kind.hpp"

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

// Only the atomics that ship know ULTs; a model's callers are its threads.
template <class Atomics>
inline constexpr bool has_units = std::same_as<Atomics, ds::default_atomics>;

// Settles which of several sources ends a wait.
//   from        to           by                                   meaning
//   preparing   waiting      commit (the caller)                  it leaves, or has left: the
//   claimer
//                                                                 must resume it
//   preparing   claimed(k)   a waker, a timer, the caller itself  the caller is running, and finds
//                                                                 it at commit
//   waiting     claimed(k)   a waker, a timer                     the claimer resumes the caller
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

    // Anyone. `asleep`: the winner resumes the caller; `running`: the caller notices by itself.
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

    // By the caller as it leaves, or by the unit that runs next, on its behalf. False if the wait
    // was claimed before.
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

// 32 bytes of alignment: objects keep five bits in the address of the last record.
template <class Atomics = ds::default_atomics>
struct alignas(32) waiter {
    using link = typename plain_field<Atomics, waiter*>::type;
    using mark = typename plain_field<Atomics, bool>::type;

    explicit waiter(core::work_unit* caller, wait_kind what = wait_kind::unknown,
                    const void* where = nullptr) noexcept
        : unit(caller), kind(what), object(where) {}
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
    mark marked{false};     // mutex: the woken bit stands for this caller
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
void link_behind(waiter<Atomics>* before, waiter<Atomics>* w) noexcept {
    if (before == nullptr) {
        w->next = w;
        w->prev = w;
        return;
    }
    waiter<Atomics>* after = before->next;
    w->next = after;
    w->prev = before;
    after->prev = w;
    before->next = w;
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

// By a waker, under the spin bit. True when it may, and must, wake the caller of this record.
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

// The rest of wake(), for callers that are running, and for OS threads.
template <class Atomics>
LAZULT_NOINLINE void signal_waiter(waiter<Atomics>* w) noexcept {
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

// How a caller is resumed: as any other caller (none); beside the waker, because it shares data
// with the waker (beside); or soon, because others wait for what it was given (soon).
enum class urgency : std::uint8_t { none, beside, soon };
LAZULT_ALWAYS_INLINE void make_ready(core::work_unit* unit, urgency how) noexcept {
    core::worker* const w = core::this_worker_or_null();
    switch (how) {
        case urgency::none: core::make_ready(w, unit); break;
        case urgency::beside: core::make_ready_beside(w, unit); break;
        case urgency::soon: core::make_ready_soon(w, unit); break;
    }
}

// Releases a record that was taken, and resumes its caller unless that is running.
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
    signal_waiter(w);
}

// Records that were taken under the spin bit, to be woken when it is clear: linked by next, and
// ended by null. Callers that are running come first: they wait for the record, and their streams
// wait for them. All other callers only become ready.
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
    // Call it before the next look at a spin bit that another caller holds. Each look takes the
    // line away from the holder, which may be about to use it again, and again. Two streams over
    // one channel took 90 ns an element with one pause, and 30 ns with these.
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

// Waits until the spin bit of an object's word is clear, and sets it. Returns the word without it.
template <class Atomics, class Atomic, class Word>
Word await_spin_bit(Atomic& word, Word spin) noexcept {
    brief_spin<Atomics> brief;
    for (;;) {
        Word w = word.load(std::memory_order_relaxed);  // pairs with: nothing: the CAS decides
        if ((w & spin) != 0) {
            brief.pause_for_holder();
            // acquire pairs with: let_go(): the queue, and the state
        } else if (swap_if<Atomics>(word, w, w | spin, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
            return w;
        }
    }
}

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

}  // namespace lazult::sync
