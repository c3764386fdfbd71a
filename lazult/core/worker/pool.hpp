// SPDX-License-Identifier: BSD-3-Clause
// The interface through which core/ makes a unit ready, with one fast path. A pool that one stream
// uses has an owner. The owner pushes and pops a plain queue, inline and without locked
// instructions. Everything else goes through virtual functions, which sched/ implements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// A queue linked by work_unit::next, with no branch in push_back().
class unit_fifo {
public:
    unit_fifo() = default;
    unit_fifo(const unit_fifo&) = delete;
    unit_fifo& operator=(const unit_fifo&) = delete;

    bool empty() const noexcept { return first_ == nullptr; }
    work_unit* front() const noexcept { return first_; }

    void push_back(work_unit* u) noexcept {
        u->next = nullptr;
        *last_link_ = u;
        last_link_ = &u->next;
    }

    void push_front(work_unit* u) noexcept {
        u->next = first_;
        if (first_ == nullptr) {
            last_link_ = &u->next;
        }
        first_ = u;
    }

    // The queue must not be empty.
    work_unit* pop_front() noexcept {
        work_unit* u = first_;
        drop_front(u);
        if (first_ != nullptr) LAZULT_LIKELY {
            prefetch_front();
        }
        return u;
    }
    // Takes out `u`, which must be the first.
    void drop_front(work_unit* u) noexcept {
        first_ = u->next;
        if (first_ == nullptr) LAZULT_UNLIKELY {
            last_link_ = &first_;
        }
    }

    // push_back() and pop_front() in one. The queue must not be empty.
    work_unit* rotate(work_unit* u) noexcept {
        push_back(u);
        work_unit* first = first_;
        first_ = first->next;
        prefetch_front();
        return first;
    }

    // The visitor may pass a unit on, because the unit's `next` has been read before.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (work_unit* u = first_; u != nullptr;) {
            work_unit* following = u->next;
            visit(u);
            u = following;
        }
    }

    // Returns false if the unit is not in this queue. Takes linear time.
    bool remove(work_unit* u) noexcept {
        for (work_unit** link = &first_; *link != nullptr; link = &(*link)->next) {
            if (*link == u) {
                *link = u->next;
                if (last_link_ == &u->next) {
                    last_link_ = link;
                }
                return true;
            }
        }
        return false;
    }

private:
    // Where thousands of units wait, each has left the caches. So this fetches the second unit's
    // descriptor, and the frames in which the first unit goes on.
    void prefetch_front() const noexcept {
        constexpr std::uintptr_t line = base::cache_line;
        __builtin_prefetch(first_->next, 1);
        // null if the unit is fresh: then nothing is fetched
        const auto context = reinterpret_cast<std::uintptr_t>(first_->context);
        __builtin_prefetch(reinterpret_cast<const void*>(context), 1);
        __builtin_prefetch(reinterpret_cast<const void*>(context + line), 1);
        __builtin_prefetch(reinterpret_cast<const void*>(context + 2 * line), 1);
    }

    work_unit* first_ = nullptr;
    work_unit** last_link_ = &first_;
};

// Announces a push. A thread that sees a unit end may destroy the pool that the unit came through,
// while the thread that pushed the unit there is still waking a stream. So the pusher notes the
// pool in its push_places before it publishes the unit.
class push_guard {
public:
    push_guard(worker* w, const pool& to) noexcept
        : w_(w != nullptr ? w : try_this_worker()), to_(&to) {
        if (w_ != nullptr) LAZULT_LIKELY {
            w_->pushing.enter(to_);
        } else {
            enter_unknown();
        }
        probe::acquire(to_);
    }
    push_guard(const push_guard&) = delete;
    push_guard& operator=(const push_guard&) = delete;
    ~push_guard() {
        // A pool's push must not suspend. A thread may have got memory for a worker meanwhile.
        LAZULT_ASSERT(w_ == nullptr || w_ == this_worker_or_null());
        probe::release(to_);
        if (w_ != nullptr) LAZULT_LIKELY {
            w_->pushing.leave();
        } else {
            leave_unknown();
        }
    }

private:
    // For an OS thread without memory for a worker: its wake-up cannot be refused.
    static void enter_unknown() noexcept;
    static void leave_unknown() noexcept;

    worker* w_;
    const pool* to_;
};

// Waits until no thread is pushing to the pool, or looking at it (home_guard.hpp). Called by the
// pool's destructor, before the pool's functions are gone. No unit is at home there any more.
void await_pushers(const pool& p) noexcept;

class pool {
public:
    virtual ~pool() = default;

    // Makes a unit available to the pool's consumers. `w` is the caller's worker or nullptr.
    void push(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            push_local(u);
        } else {
            const push_guard here(w, *this);
            push_other(w, u);
        }
    }
    // push(), called by the owner.
    void push_local(work_unit* u) noexcept {
        local_.push_back(u);
        local_size_.increment();
    }

    // push() for a unit that gives way: other units that wait here are popped before it.
    void push_yielded(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            push(w, u);
        } else {
            const push_guard here(w, *this);
            push_yielded_other(w, u);
        }
    }

    // push() that wakes no consumer, because consumers look again soon by themselves.
    void push_silently(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) {
            push_local(u);
        } else {
            const push_guard here(w, *this);
            push_silently_other(w, u);
        }
    }

    // push_yielded() by a stream that will run the unit itself, and wakes no other stream for it.
    void push_quietly(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) {
            push_local(u);
        } else {
            const push_guard here(w, *this);
            push_quietly_other(w, u);
        }
    }

    // push() for a unit that others wait for, because it holds a lock. The unit runs next here, or
    // soon on the stream of `w`, if the pool's order and its consumers allow that.
    void push_soon(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            local_.push_front(u);
            local_size_.increment();
        } else {
            const push_guard here(w, *this);
            push_soon_other(w, u);
        }
    }

    // push() for a unit that shares data with its waker. The stream of `w` takes the unit over, if
    // the pool's consumers allow that. The unit waits for its turn as after push().
    void push_beside(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            push_local(u);
        } else {
            const push_guard here(w, *this);
            push_beside_other(w, u);
        }
    }
    // Returns whether units may leave this pool for that of another stream: with a thief, or by
    // push_beside() with a waker.
    virtual bool lets_units_move() const noexcept { return false; }

    // push() for the creator of a unit that runs child first: the creator is popped next here. The
    // ticket names this push, for take_parent().
    using ticket = std::uint64_t;
    static constexpr ticket no_ticket = ~ticket{0};
    ticket push_parent(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            local_.push_front(u);
            local_size_.increment();
            return 0;
        }
        const push_guard here(w, *this);
        return push_parent_other(w, u);
    }

    // Takes the creator back, so that the child can return into it. False: it was popped since.
    bool take_parent(worker& w, work_unit* u, ticket t) noexcept {
        if (is_next_here(&w, u)) LAZULT_LIKELY {
            drop_next_here(u);
            return true;
        }
        return t != no_ticket && take_parent_other(w, u, t);
    }

    // Returns whether only `w` pops here. Then a unit may be pushed before its context is saved.
    bool is_private_to(const worker* w) const noexcept {
        return w == owner_.load(std::memory_order_relaxed);
    }

    // For the owner: has_local(), has_any(), rotate() and is_next(). rotate() is push() and pop()
    // in one; the queue must not be empty.
    bool has_local() const noexcept { return !local_.empty(); }
    // Returns whether pop() by the owner of a private pool would find a unit.
    bool has_any() const noexcept {
        // relaxed: a hint
        return has_local() || arrivals_.load(std::memory_order_relaxed) != 0;
    }
    work_unit* rotate(work_unit* u) noexcept { return local_.rotate(u); }

    // For a yield on the stream of `w`: puts the running unit at the end, before its context is
    // saved, and returns the unit that pop() would return. Returns nullptr, and changes nothing, if
    // no other unit is here, or if the pool cannot do both in one step.
    virtual work_unit* change_turns(worker& /*w*/, work_unit* /*running*/) noexcept {
        return nullptr;
    }

    bool is_next(const work_unit* u) const noexcept { return local_.front() == u; }
    // Returns whether `w` would pop this unit next from its private queue.
    bool is_next_here(const worker* w, const work_unit* u) const noexcept {
        return is_private_to(w) && local_.front() == u;
    }
    void drop_next_here(work_unit* u) noexcept {
        local_size_.decrement();
        local_.drop_front(u);
    }

    // Takes out a ready unit, or returns nullptr. `w` is the caller's worker. A caller that passes
    // the unit on to another thread must open it first (open_here() in join.hpp), because a local
    // unit ends on its owner's thread.
    work_unit* pop(worker& w) noexcept {
        if (is_private_to(&w) && !local_.empty()) LAZULT_LIKELY {
            local_size_.decrement();
            return local_.pop_front();
        }
        return pop_other(w);
    }

    // Takes out this unit if it is the next one, or the last one pushed. Then taking it is cheap,
    // and overtakes no unit that must come first. For joiners that run their child in place.
    bool take(worker& w, work_unit* u) noexcept {
        if (is_private_to(&w)) LAZULT_LIKELY {
            if (local_.front() == u) LAZULT_LIKELY {
                drop_next_here(u);
                return true;
            }
            return false;
        }
        return take_other(w, u);
    }

    // Removes a ready unit, wherever it stands in the pool. Returns false if it is not here.
    virtual bool remove(work_unit* u) noexcept = 0;
    virtual std::size_t size() const noexcept = 0;
    // Returns whether only one stream may run a unit of this pool: the pool's owner, or the stream
    // on which the unit began.
    virtual bool is_private() const noexcept { return false; }
    // Returns whether the pool's units stay on the stream where they began.
    bool keeps() const noexcept { return keeps_; }
    // Returns whether the stream of `w` may run this unit of the pool, which the stream has not
    // popped here. For units that start or go on out of turn.
    bool may_run_on(const worker& w, const work_unit& u) const noexcept {
        return !keeps_ || may_keep(w, u);
    }
    // Returns whether the stream of `w` may run a unit of this pool without pushing it here first.
    virtual bool serves(const worker& w) const noexcept = 0;

    // Shows the units in order, and takes none out. Called by a consumer, or while the consumers
    // rest. Units that are pushed or popped meanwhile may be missed. A pool that cannot list its
    // units shows none.
    using visitor = void (*)(work_unit*, void*);
    virtual void for_each(visitor, void*) {}

    // Returns whether the units that the owner launches here are local (join_word.hpp): only the
    // owner runs them, so they end by a plain store.
    bool confines() const noexcept { return confines_; }

    // Returns whether a unit that yields must be pushed here even if it would be popped next. True
    // for users' pools and for shared queues.
    bool hears_of_yields() const noexcept { return hears_of_yields_; }

    // Returns the pool for units that a unit of this pool creates, and for its next life. It is not
    // this pool if this one is for units that have begun.
    virtual pool& place_of_new_units() noexcept { return *this; }

    // Returns whether units of doors other than the pool's maker may be at home here.
    bool takes_foreign_units() const noexcept { return takes_foreign_units_; }

    // Counts units that are at home here and wait in another door, of which the pool's maker does
    // not know. Its streams must not end before these units come back. A unit calls it with 1
    // before it leaves its stream, and with -1 when it runs again.
    void count_waiting(int change) noexcept {
        waiting_.fetch_add(change, std::memory_order_release);  // pairs with: waiting(), load
    }
    int waiting() const noexcept {
        return waiting_.load(std::memory_order_acquire);  // pairs with: count_waiting(), fetch_add
    }

    // A word for the pool's maker, which core/ does not use.
    void* makers_word() const noexcept { return makers_word_; }
    void set_makers_word(void* value) noexcept { makers_word_ = value; }

protected:
    virtual void push_other(worker* w, work_unit* u) noexcept = 0;
    virtual void push_yielded_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual void push_silently_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual void push_quietly_other(worker* w, work_unit* u) noexcept { push_yielded_other(w, u); }
    virtual void push_soon_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual void push_beside_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual ticket push_parent_other(worker* w, work_unit* u) noexcept {
        push_other(w, u);
        return no_ticket;
    }
    virtual bool take_parent_other(worker&, work_unit*, ticket) noexcept { return false; }
    virtual work_unit* pop_other(worker& w) noexcept = 0;
    virtual bool may_keep(const worker& /*w*/, const work_unit&) const noexcept { return true; }
    virtual bool take_other(worker& w, work_unit* u) noexcept = 0;

    // owner_ of a pool without an owner. Differs from the nullptr of a thread without a worker.
    static inline worker* const nobody = reinterpret_cast<worker*>(std::uintptr_t{1});

    // field        written by        read by    order
    // owner_       attach, detach    anybody    acquire / release from owner to owner; relaxed for
    //                                           all others: they only learn that they do not own it
    // local_       the owner         the owner  none needed
    // arrivals_    a derived class   anybody    relaxed: how many units others have pushed that are
    //                                           not in local_ yet
    ds::default_atomics::atomic<worker*> owner_{nobody};
    unit_fifo local_;
    counter local_size_;
    ds::default_atomics::atomic<std::size_t> arrivals_{0};
    bool takes_foreign_units_ = true;  // these four: set by the constructor of a derived class
    bool hears_of_yields_ = false;
    bool confines_ = false;
    bool keeps_ = false;

private:
    // field     written by   read by               order
    // waiting_  waiters      schedulers that end   release / acquire
    ds::default_atomics::atomic<int> waiting_{0};
    void* makers_word_ = nullptr;
};

}  // namespace lazult::core
