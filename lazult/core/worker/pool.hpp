// SPDX-License-Identifier: BSD-3-Clause
// The interface through which floor 5 makes a unit ready, and its one fast path.
//
// A pool that one stream uses takes no locked instruction: such a pool has an owner, and the owner
// pushes and pops a plain queue here, inline. Everything else goes through the virtual functions
// that floor 6 implements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/base/base.hpp"
#include "lazult/core/unit/counters.hpp"
#include "lazult/core/unit/work_unit.hpp"
#include "lazult/core/worker/worker.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::core {

// A queue through work_unit::next, with no branch in push_back.
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

    // Of a queue that is not empty.
    work_unit* pop_front() noexcept {
        work_unit* u = first_;
        drop_front(u);
        if (first_ != nullptr) LAZULT_LIKELY {
            prefetch_front();
        }
        return u;
    }
    // Of one that begins with `u`.
    void drop_front(work_unit* u) noexcept {
        first_ = u->next;
        if (first_ == nullptr) LAZULT_UNLIKELY {
            last_link_ = &first_;
        }
    }

    // push_back and pop_front, of a queue that is not empty.
    work_unit* rotate(work_unit* u) noexcept {
        push_back(u);
        work_unit* first = first_;
        first_ = first->next;
        prefetch_front();
        return first;
    }

    // Each unit is looked at before the visitor gets it, and not any more afterwards.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (work_unit* u = first_; u != nullptr;) {
            work_unit* following = u->next;
            visit(u);
            u = following;
        }
    }

    // Linear.
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
    // Where thousands wait, each has left the caches: the one after the next is fetched, and the
    // frames where the next goes on.
    void prefetch_front() const noexcept {
        constexpr std::uintptr_t line = base::cache_line;
        __builtin_prefetch(first_->next, 1);
        // null, where it is fresh: fetches nothing
        const auto context = reinterpret_cast<std::uintptr_t>(first_->context);
        __builtin_prefetch(reinterpret_cast<const void*>(context), 1);
        __builtin_prefetch(reinterpret_cast<const void*>(context + line), 1);
        __builtin_prefetch(reinterpret_cast<const void*>(context + 2 * line), 1);
    }

    work_unit* first_ = nullptr;
    work_unit** last_link_ = &first_;
};

// A thread that sees a unit end may destroy the pool that the unit came through. The thread that
// pushed the unit there may still be waking a stream then. So the pusher notes the pool in its
// push_places. The note is published together with the unit.
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
        // A pool's push must not suspend. There may have been memory for a worker meanwhile.
        LAZULT_ASSERT(w_ == nullptr || w_ == this_worker_or_null());
        probe::release(to_);
        if (w_ != nullptr) LAZULT_LIKELY {
            w_->pushing.leave();
        } else {
            leave_unknown();
        }
    }

private:
    // Of an OS thread for which there is no memory to know it by: a wake-up cannot be refused.
    static void enter_unknown() noexcept;
    static void leave_unknown() noexcept;

    worker* w_;
    const pool* to_;
};

// Returns when no thread is pushing to the pool, or looking at it: see home_guard.hpp. By its
// destructor, while the pool's functions are there still: no unit is at home there any more.
void await_pushers(const pool& p) noexcept;

class pool {
public:
    pool() = default;
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;
    virtual ~pool() = default;

    // Makes a unit available to the pool's consumers. Any OS thread; `w` is the caller's or
    // nullptr.
    void push(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            push_local(u);
        } else {
            const push_guard here(w, *this);
            push_other(w, u);
        }
    }
    // By the owner.
    void push_local(work_unit* u) noexcept {
        local_.push_back(u);
        local_size_.increment();
    }

    // As push, for a unit that gives way: it must not be the next one to be popped while others
    // wait.
    void push_yielded(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            push(w, u);
        } else {
            const push_guard here(w, *this);
            push_yielded_other(w, u);
        }
    }

    // As push(), for consumers that look again soon by themselves: it wakes none of them.
    void push_silently(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) {
            push_local(u);
        } else {
            const push_guard here(w, *this);
            push_silently_other(w, u);
        }
    }

    // As push, for a unit that others wait for, because a lock is its already: next here, or soon
    // on the stream of `w`, where the pool's order and its consumers allow it.
    void push_soon(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            local_.push_front(u);
            local_size_.increment();
        } else {
            const push_guard here(w, *this);
            push_soon_other(w, u);
        }
    }

    // As push, for a unit that shares data with the one that wakes it: the stream of `w` takes it
    // over, where the pool's consumers allow it. It waits for its turn as after push().
    void push_beside(worker* w, work_unit* u) noexcept {
        if (is_private_to(w)) LAZULT_LIKELY {
            push_local(u);
        } else {
            const push_guard here(w, *this);
            push_beside_other(w, u);
        }
    }
    // Whether push_beside() may take a unit to the stream of a waker that the pool does not belong
    // to.
    virtual bool lets_wakers_take_over() const noexcept { return false; }

    // As push, for the parent of a child-first creation: it is the next to be popped here. The
    // ticket names this very publication.
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

    // Takes the parent back, for its child's plain return into it. False unless nobody popped it
    // since.
    bool take_parent(worker& w, work_unit* u, ticket t) noexcept {
        if (is_next_here(&w, u)) LAZULT_LIKELY {
            drop_next_here(u);
            return true;
        }
        return t != no_ticket && take_parent_other(w, u, t);
    }

    // Only this worker pops here, so a unit may be pushed before its context is saved.
    bool is_private_to(const worker* w) const noexcept {
        return w == owner_.load(std::memory_order_relaxed);
    }

    // Of the owner. rotate() is push and pop_front in one, of a queue that is not empty.
    bool has_local() const noexcept { return !local_.empty(); }
    // Whether pop() by the owner of a private pool would find something here.
    bool has_any() const noexcept {
        // pairs with: nothing: a hint
        return has_local() || arrivals_.load(std::memory_order_relaxed) != 0;
    }
    work_unit* rotate(work_unit* u) noexcept { return local_.rotate(u); }

    // The same, of the owner.
    bool is_next(const work_unit* u) const noexcept { return local_.front() == u; }
    // The unit that this worker would pop next from its private queue.
    bool is_next_here(const worker* w, const work_unit* u) const noexcept {
        return is_private_to(w) && local_.front() == u;
    }
    void drop_next_here(work_unit* u) noexcept {
        local_size_.decrement();
        local_.drop_front(u);
    }

    // A ready unit, or nullptr. `w` is the caller's worker. A caller that hands the unit to another
    // thread, to run it there, must open it first (open_here in join.hpp). In a private pool only
    // the owner was to write the unit's end.
    work_unit* pop(worker& w) noexcept {
        if (is_private_to(&w) && !local_.empty()) LAZULT_LIKELY {
            local_size_.decrement();
            return local_.pop_front();
        }
        return pop_other(w);
    }

    // Takes this very unit out if it is the next one, or the last one pushed. Then taking it is
    // cheap, and overtakes no unit that must not be overtaken. For joiners that run their child in
    // place.
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

    // Removes a ready unit from wherever it stands. False when it is not here (any more).
    virtual bool remove(work_unit* u) noexcept = 0;
    virtual std::size_t size() const noexcept = 0;
    // Whether only one stream may ever run what is here.
    virtual bool is_private() const noexcept { return false; }
    // Whether the stream of `w` may run what it finds here, without the pool's push.
    virtual bool serves(const worker& w) const noexcept = 0;

    // Shows what stands here, in order, and takes nothing out. By a consumer, or while the
    // consumers rest: what others push or pop meanwhile may be shown or not. A pool that cannot
    // tell shows nothing.
    using visitor = void (*)(work_unit*, void*);
    virtual void for_each(visitor, void*) {}

    // Whether the units that its owner launches here end by a plain store, because only the owner
    // ever runs them: join_word.hpp.
    bool confines() const noexcept { return confines_; }

    // Whether the pool shall get every unit that yields, even one that it would pop next. It is so
    // for users' pools and for shared queues.
    bool hears_of_yields() const noexcept { return hears_of_yields_; }

    // Whether units of other doors than its maker's may be at home here.
    bool takes_foreign_units() const noexcept { return takes_foreign_units_; }

    // Units that are at home here and wait, and will come back, though the pool's maker does not
    // know: other doors' waits. Its streams are not to end under them. By a unit before it leaves
    // its stream (1), and when it runs again (-1).
    void count_waiting(int change) noexcept {
        waiting_.fetch_add(change, std::memory_order_release);  // pairs with: waiting(), load
    }
    int waiting() const noexcept {
        return waiting_.load(std::memory_order_acquire);  // pairs with: count_waiting(), fetch_add
    }

    // One word for the pool's maker. The core does not look at it.
    void* makers_word() const noexcept { return makers_word_; }
    void set_makers_word(void* value) noexcept { makers_word_ = value; }

protected:
    virtual void push_other(worker* w, work_unit* u) noexcept = 0;
    virtual void push_yielded_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual void push_silently_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual void push_soon_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual void push_beside_other(worker* w, work_unit* u) noexcept { push_other(w, u); }
    virtual ticket push_parent_other(worker* w, work_unit* u) noexcept {
        push_other(w, u);
        return no_ticket;
    }
    virtual bool take_parent_other(worker&, work_unit*, ticket) noexcept { return false; }
    virtual work_unit* pop_other(worker& w) noexcept = 0;
    virtual bool take_other(worker& w, work_unit* u) noexcept = 0;

    // Equal to no worker, and not to the null of a thread without one.
    static inline worker* const nobody = reinterpret_cast<worker*>(std::uintptr_t{1});

    // field        written by        read by    order
    // owner_       attach, detach    anybody    acquire / release from owner to owner; relaxed for
    //                                           all others: they only learn that they are not it
    // local_       the owner         the owner  none needed
    // arrivals_    a derived class   anybody    relaxed: how many units others have pushed that are
    //                                           not in local_ yet
    ds::default_atomics::atomic<worker*> owner_{nobody};
    unit_fifo local_;
    counter local_size_;
    ds::default_atomics::atomic<std::size_t> arrivals_{0};
    bool takes_foreign_units_ = true;  // these three: set by the constructor of a derived class
    bool hears_of_yields_ = false;
    bool confines_ = false;

private:
    // field     written by   read by               order
    // waiting_  waiters      schedulers that end   release / acquire
    ds::default_atomics::atomic<int> waiting_{0};
    void* makers_word_ = nullptr;
};

}  // namespace lazult::core
