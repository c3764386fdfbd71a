// SPDX-License-Identifier: BSD-3-Clause
// A caller that waits has one record on its own stack for each object that it waits for. A caller
// is a ULT, which suspends, or an OS thread outside the streams, which sleeps on a futex.
//
// The life of a record. Each step is taken once, by one thread:
//   made       by the caller
//   listed     linked into the object's queue, under the object's spin bit
//   taken      unlinked under the spin bit: by a waker that claims the wait, or by the caller that
//              gives up
//   released   by the waker, in wake(). After that the record may be gone.
//
// A suspended wait that only one source can end (an untimed wait for one object) has no claim word:
// taking its record is the claim. In all other waits (timed waits, waits for several objects, waits
// with a stop token, callers that spin in place) the records, the timer and the stop request share
// one claim word. The source that claims the word wakes the caller. A waker that finds it claimed
// drops the record and tries the next one.
//
// A cancellation resumes a unit, but claims nothing. The unit's wait word (core/unit/wait_word.hpp)
// settles which thread makes the unit ready: the waker or the interrupter. The interrupted unit
// then takes its record back under the spin bit, or claims its own claim word. If a waker was
// first, the wait has succeeded, so that nothing that the waker gave is lost. The cancellation then
// ends the unit's next wait.
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

// A deadline is absolute, in nanoseconds of os::now_ns(). A negative deadline never comes.
inline constexpr std::int64_t no_deadline = -1;

// The type of a field that is not atomic, but that several threads use. The model checker's tests
// specialise it, so that they see races on such a field.
template <class Atomics, class T>
struct plain_field {
    using type = T;
};

// True for the atomics that ship. A model has no ULTs: its threads are the callers.
template <class Atomics>
inline constexpr bool has_units = std::same_as<Atomics, ds::default_atomics>;

// Settles which of several sources ends a wait. A source is a waker, a timer, a stop request, or
// the caller itself, which gives up.
//   from        to           by         meaning
//   preparing   waiting      commit     the caller leaves, or has left: a claimer must resume it
//   preparing   claimed(k)   a source   the caller is running, and finds the claim at commit
//   waiting     claimed(k)   a source   the claimer resumes the caller, unless it is the caller
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

    // claim() returns one of the first three. `listed` stands only in waiter::claimed: the record
    // is listed, and no waker has taken it.
    enum class result : std::uint8_t { lost, running, asleep, listed };

    // Any thread: claims the wait for `source`. Returns asleep: this thread must resume the caller;
    // running: the caller will find the claim itself; lost: another source was first.
    result claim(std::uint32_t source) noexcept {
        // relaxed: the CAS decides
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        while (seen == preparing || seen == waiting) {
            // acquire pairs with: commit(): the saved context, or that the unit is leaving
            // release pairs with: winner(): what the claimer did before
            if (word_.compare_exchange_strong(seen, source, std::memory_order_acq_rel,
                                              std::memory_order_relaxed)) {
                return seen == waiting ? result::asleep : result::running;
            }
        }
        return result::lost;
    }

    // Called by the caller as it leaves, or on its behalf by the unit that runs next on its stream.
    // Returns false if the wait has been claimed already.
    bool commit() noexcept {
        std::uint32_t seen = preparing;
        // release pairs with: claim(): the saved context, or that the unit is leaving
        return word_.compare_exchange_strong(seen, waiting, std::memory_order_release,
                                             std::memory_order_relaxed);
    }

    // Returns what claimed the wait. A result below first_index means that nothing has yet.
    std::uint32_t winner() const noexcept {
        return word_.load(std::memory_order_acquire);  // pairs with: claim()
    }

    // Called by an OS thread: sleeps until the wait is claimed. False: the deadline has passed.
    bool sleep(std::int64_t deadline_ns) noexcept {
        // pairs with: claim()
        while (word_.load(std::memory_order_acquire) == waiting) {
            if (!Atomics::futex_wait(word_, waiting, deadline_ns)) {
                return false;
            }
        }
        return true;
    }
    // Uses only the word's address, because the woken caller may have freed the word already.
    void wake_thread() noexcept { Atomics::futex_wake(word_, 1); }

private:
    typename Atomics::template atomic<std::uint32_t> word_{preparing};
};

// Aligned to 32 bytes, because objects keep flags in the five low bits of a record's address.
template <class Atomics = ds::default_atomics>
struct alignas(32) waiter {
    using link = typename plain_field<Atomics, waiter*>::type;
    using mark = typename plain_field<Atomics, bool>::type;

    explicit waiter(core::work_unit* caller, wait_kind what = wait_kind::unknown,
                    const void* where = nullptr) noexcept
        : unit(caller), kind(what), object(where) {}

    link next{nullptr};
    link prev{nullptr};
    core::work_unit* unit;                 // the ULT that waits; nullptr: an OS thread waits
    claim_word<Atomics>* claim = nullptr;  // nullptr: taking the record is the claim
    std::uint32_t index = claim_word<Atomics>::first_index;
    typename Atomics::template atomic<std::uint32_t> signal{0};
    typename claim_word<Atomics>::result claimed = claim_word<Atomics>::result::asleep;
    mark granted{false};    // the waker has given the caller what it waits for
    mark marked{false};     // mutex: the woken bit stands for this caller
    bool starved = false;   // mutex: the next unlock must hand the mutex over to this caller
    bool in_front = false;  // mutex: was woken before and lost, so it queues in front
    bool shared = false;    // rwlock: the caller is a reader
    bool for_all = false;   // condition: a broadcast ended the wait
    wait_kind kind;
    void* buffer = nullptr;  // channel: the element to send, or room for the element to receive
    const void* object;
};
static_assert(sizeof(waiter<>) == 64);

// A queue of records is a ring. The object keeps only the address of the last record, because its
// word has room for one address. The functions up to take_first() run under the object's spin bit.
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

// The next three functions return the queue's new last record.
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

// Called by a waker under the spin bit. True: it has claimed the wait, and must wake the caller.
template <class Atomics>
bool claim(waiter<Atomics>* w) noexcept {
    if (w->claim == nullptr) {
        w->claimed = claim_word<Atomics>::result::asleep;
        return true;
    }
    w->claimed = w->claim->claim(w->index);
    return w->claimed != claim_word<Atomics>::result::lost;
}

// Unlinks and returns the first record that it can claim, or nullptr. Also unlinks the records
// before it, because other sources have claimed their waits. Called under the spin bit.
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

// The slow part of wake(): for a caller that is running, and for an OS thread.
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

// Where the pool puts a resumed unit. none: where it puts any ready unit. beside: on the waker's
// stream, because the unit shares data with its waker. soon: in front, because other callers wait
// for what the unit was given. quietly: behind all others, and the waker, a stream, tells other
// streams later.
enum class urgency : std::uint8_t { none, beside, soon, quietly };
LAZULT_ALWAYS_INLINE void make_ready(core::work_unit* unit, urgency how) noexcept {
    core::worker* const w = core::this_worker_or_null();
    switch (how) {
        case urgency::none: core::make_ready(w, unit); break;
        case urgency::beside: core::make_ready_beside(w, unit); break;
        case urgency::soon: core::make_ready_soon(w, unit); break;
        case urgency::quietly: core::make_ready_quietly(w, unit); break;
    }
}

// Releases a taken record, and resumes its caller unless the caller is running.
template <class Atomics>
LAZULT_ALWAYS_INLINE void wake(waiter<Atomics>* w, urgency how = urgency::none) noexcept {
    if constexpr (has_units<Atomics>) {
        core::work_unit* unit = w->unit;
        if (unit != nullptr && w->claimed == claim_word<Atomics>::result::asleep) LAZULT_LIKELY {
            if (w->claim != nullptr) {
                w->signal.store(1, std::memory_order_release);  // pairs with: await_release()
            }
            if (!unit->wait.resume()) LAZULT_UNLIKELY {  // after this the record may be gone
                return;
            }
            make_ready(unit, how);
            return;
        }
    }
    signal_waiter(w);
}

// Records that a waker takes under the spin bit, and wakes after it has cleared the bit. They are
// linked by `next`, and nullptr ends the chain. Records of running callers come first, because
// those callers spin until their record is released. All other callers only become ready.
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

// Wakes the callers of a chain, in its order.
template <class Atomics>
void wake_all(waiter<Atomics>* first, urgency how = urgency::none) noexcept {
    while (first != nullptr) {
        waiter<Atomics>* next = first->next;
        wake(first, how);
        first = next;
    }
}

// Pauses for a loop that waits until another OS thread has done a few instructions. Every 128th
// pause yields to the system, because that thread may have been preempted.
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
    // A longer pause, for a loop that waits for a spin bit: each look takes the cache line away
    // from the bit's holder, which may need it again soon. Two streams on one channel took 90 ns
    // for an element with one pause between looks, and 30 ns with 16.
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

// Waits until the spin bit of a word is clear, and sets it. Returns the word without the bit.
template <class Atomics, class Atomic, class Word>
Word await_spin_bit(Atomic& word, Word spin) noexcept {
    brief_spin<Atomics> brief;
    for (;;) {
        Word w = word.load(std::memory_order_relaxed);  // relaxed: the CAS decides
        if ((w & spin) != 0) {
            brief.pause_for_holder();
            // acquire pairs with: let_go(): the queue, and the state
        } else if (swap_if<Atomics>(word, w, w | spin, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
            return w;
        }
    }
}

// Called by the waiter after a waker has claimed the wait by this record. Waits until the waker has
// released the record.
template <class Atomics>
void await_release(waiter<Atomics>& me) noexcept {
    brief_spin<Atomics> spin;
    while (me.signal.load(std::memory_order_acquire) == 0) {  // pairs with: wake()
        spin.pause();
    }
}

// Called by an OS thread in a wait that only a waker can end. Sleeps until the record is released.
template <class Atomics>
void await_signal(waiter<Atomics>& me) noexcept {
    while (me.signal.load(std::memory_order_acquire) == 0) {  // pairs with: wake()
        Atomics::futex_wait(me.signal, 0, no_deadline);
    }
}

}  // namespace lazult::sync
