// SPDX-License-Identifier: BSD-3-Clause
// Work-stealing deque. Its owner pushes and pops at the bottom, last in first out. Thieves steal at
// the top, first in first out. "Owner" in a comment below means that only the owner may call.
//
// Sources: Chase and Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005); Lê, Pop, Cohen and
// Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013). Where
// the second paper has fences, this deque has an asymmetric barrier. Its light side, which is free,
// stands in pop() between the store of bottom_ and the load of top_. Its heavy side stands in
// try_steal() between the loads of top_ and bottom_, and is a system call that reaches every thread
// of the process. So if a pop() and a steal() race, at least one sees the other. If both want the
// last element, a CAS of top_ decides. A thief should ask the owner first, because the call is
// expensive: see core/worker/steal_lane.hpp.
//
// field        | written by             | read by        | order
// top_         | thieves; owner, for    | all            | a thief's CAS release, make_room() and
//              | the last and oldest    |                | recount() acquire: a slot is reused
//              |                        |                | after the thief has read it; else
//              |                        |                | relaxed, with bottom_ the barriers
// bottom_      | owner                  | all            | release / acquire; with top_ the
//              |                        |                | barriers
// ring_        | owner (growth)         | all            | release / acquire
// slots        | owner                  | all            | relaxed: bottom_ publishes, the CAS
//              |                        |                | validates
// top_seen_    | owner                  | owner          | plain. A lower bound of top_: push()
//              |                        |                | reads top_ only if the ring seems full
// capacity_    | owner                  | owner          | plain
//
// Both indices have 64 bits and do not wrap. They only grow, except that pop() decrements bottom_.
#pragma once

#include "lazult/ds/alone.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace lazult::ds {

// The result of one attempt to steal. `contended` means that another thread took the element first,
// so the deque may have more.
template <class T>
struct steal_attempt {
    T* item;
    bool contended;
};

template <class T, class Atomics = default_atomics>
class deque {
public:
    static constexpr std::size_t default_capacity = 256;

    explicit deque(std::size_t capacity = default_capacity)
        : rings_(make_ring(std::bit_ceil(capacity < 2 ? 2 : capacity))),
          ring_(rings_.get()),
          capacity_(static_cast<index>(rings_->mask + 1)) {}

    // Owner. Pushes the item, which must not be null, at the bottom. Throws std::bad_alloc, with
    // the deque unchanged, if the deque cannot grow.
    void push(T* item) {
        // pairs with: the owner's own stores
        const index bottom = bottom_.load(std::memory_order_relaxed);
        if (bottom - top_seen_ >= capacity_) LAZULT_UNLIKELY {
            make_room(bottom);
        }
        push_at(bottom, item);
    }

    // Owner. Returns true if push() would neither allocate nor read top_. Then push_into_room() may
    // be called, which pushes without that check.
    bool has_room() const {
        return bottom_.load(std::memory_order_relaxed) - top_seen_ <
               capacity_;  // pairs with: the owner's own stores
    }
    // Owner. Returns true if the deque has fewer elements than `limit`, which is at most the
    // capacity. May return false wrongly, because top_seen_ may be old: recount() renews it.
    bool has_room_below(std::size_t limit) const {
        // pairs with: the owner's own stores
        return bottom_.load(std::memory_order_relaxed) - top_seen_ < static_cast<index>(limit);
    }
    // Owner. Returns the number of elements, and renews top_seen_ for has_room_below().
    std::size_t recount() {
        // pairs with: try_steal(), CAS: the slot was read
        top_seen_ = top_.load(std::memory_order_acquire);
        // pairs with: the owner's own stores
        return static_cast<std::size_t>(bottom_.load(std::memory_order_relaxed) - top_seen_);
    }
    std::size_t capacity() const { return static_cast<std::size_t>(capacity_); }
    void push_into_room(T* item) {
        // pairs with: the owner's own stores
        push_at(bottom_.load(std::memory_order_relaxed), item);
    }

    // Owner. Takes the bottom element, or returns null if the deque is empty. Uses a locked
    // instruction for the last element only.
    LAZULT_ALWAYS_INLINE T* pop() {
        return pop_settled_by([this](index top, index bottom) { return take_last(top, bottom); });
    }
    // Owner. Does what pop() does, but is inlined throughout, so that a caller without other calls
    // needs no stack frame.
    LAZULT_ALWAYS_INLINE T* pop_without_call() {
        return pop_settled_by([this](index top, index bottom) { return settle_last(top, bottom); });
    }

    // Owner. Returns true if the bottom element is `item`. Also true if the deque is empty, but the
    // slot still holds `item` from before: then take_bottom() returns false.
    LAZULT_ALWAYS_INLINE bool is_bottom(const T* item) const { return peek_newest() == item; }
    // Owner. Returns the bottom element, or an element that was taken before if the deque is empty.
    LAZULT_ALWAYS_INLINE T* peek_newest() const {
        // pairs with: push(), same thread
        return own_ring().slot(newest()).load(std::memory_order_relaxed);
    }
    // Owner. Takes the element after is_bottom() was true. Returns false if a thief took it first.
    LAZULT_ALWAYS_INLINE bool take_bottom() { return take_at(newest()); }

    // Owner. Takes the bottom element if it is `item`; else returns false.
    LAZULT_ALWAYS_INLINE bool pop_if(T* item) { return is_bottom(item) && take_bottom(); }

    // Owner. Takes the top element, or returns null if the deque is empty. Needs no barrier: at the
    // top the owner races with thieves only, not with its own pops, and the CAS decides that race.
    T* take_oldest() {
        // pairs with: the owner's own stores
        const index bottom = bottom_.load(std::memory_order_relaxed);
        // pairs with: try_steal(), CAS of top_
        index top = top_.load(std::memory_order_relaxed);
        while (top < bottom) {
            // pairs with: push(), same thread
            T* const item = own_ring().slot(top).load(std::memory_order_relaxed);
            // pairs with: try_steal(), CAS of top_
            if (swap_if<Atomics>(top_, top, top + 1, std::memory_order_relaxed,
                                 std::memory_order_relaxed)) {
                return item;
            }
        }
        return nullptr;
    }

    // Owner. Returns true if the top element is `item`. A thief may take it at any time, and the
    // slot of an empty deque may be old: take_oldest_if() checks both.
    bool is_top(const T* item) const {
        // pairs with: try_steal(), CAS of top_
        const index top = top_.load(std::memory_order_relaxed);
        return own_ring().slot(top).load(std::memory_order_relaxed) ==
               item;  // pairs with: push(), same thread
    }
    // Owner. Takes the top element if it is `item`. Returns false if a thief took it first.
    bool take_oldest_if(const T* item) {
        index top = top_.load(std::memory_order_relaxed);  // pairs with: try_steal(), CAS of top_
        // Checks first that the deque is not empty. pairs with: the owner's own stores
        return top < bottom_.load(std::memory_order_relaxed) &&
               own_ring().slot(top).load(std::memory_order_relaxed) == item &&
               // pairs with: try_steal(), CAS of top_
               swap_if<Atomics>(top_, top, top + 1, std::memory_order_relaxed,
                                std::memory_order_relaxed);
    }

    // Owner. Returns the index of the next push. An element keeps its index. No later element gets
    // the index of a stolen one, because bottom_ never falls below top_.
    std::uint64_t bottom_index() const {
        return static_cast<std::uint64_t>(
            bottom_.load(std::memory_order_relaxed));  // pairs with: the owner's own stores
    }

    // Any thread but the owner's, which has take_oldest(). Tries once to take the top element.
    // Costs microseconds, because of the system call.
    steal_attempt<T> try_steal() {
        // Relaxed: the barrier keeps it before the load of bottom_. pairs with: pop() and other
        // thieves, CAS
        index top = top_.load(std::memory_order_relaxed);
        // If the owner's pop() comes after this barrier, the owner sees at least this top. If it
        // came before, this thief sees the new bottom_. pairs with: pop(), light_barrier
        Atomics::heavy_barrier();
        // pairs with: push() and pop(), stores
        const index bottom = bottom_.load(std::memory_order_acquire);
        if (top >= bottom) {
            return {nullptr, false};
        }
        ring& current = *ring_.load(std::memory_order_acquire);             // pairs with: grow()
        T* const item = current.slot(top).load(std::memory_order_relaxed);  // the CAS validates it
        // Release: the owner reuses the slot only after this thread has read it. A failure needs no
        // order. Pairs with: make_room(), which may read the value of a later CAS.
        if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_release,
                                          std::memory_order_relaxed)) {
            return {nullptr, true};
        }
        return {item, false};
    }

    // Any thread but the owner's. Repeats try_steal() while other threads take the element first.
    // Returns null only if the deque was empty at some moment of the call. Each attempt costs
    // microseconds.
    T* steal() {
        steal_attempt<T> attempt = try_steal();
        while (attempt.contended) {
            Atomics::pause();
            attempt = try_steal();
        }
        return attempt.item;
    }

    // Any thread. Shows the elements to `visit`, oldest first. While other threads use the deque,
    // it may miss an element, or show an element that was just taken.
    template <class Visit>
    void for_each(Visit&& visit) const {
        // pairs with: try_steal(), CAS of top_
        for (index at = top_.load(std::memory_order_acquire);; ++at) {
            // pairs with: push(), store of bottom_
            if (at >= bottom_.load(std::memory_order_acquire)) {
                return;
            }
            ring& current = *ring_.load(std::memory_order_acquire);  // pairs with: grow()
            // pairs with: push(), through bottom_
            T* const item = current.slot(at).load(std::memory_order_relaxed);
            // null: a ring that has just grown has no copy of elements that were taken before
            if (item != nullptr) {
                visit(item);
            }
        }
    }

    // Any thread. Exact while no other thread uses the deque. For the owner, never too low.
    std::size_t size_estimate() const {
        // relaxed: an estimate
        const index top = top_.load(std::memory_order_relaxed);
        // relaxed: an estimate
        const index bottom = bottom_.load(std::memory_order_relaxed);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

    bool empty_estimate() const { return size_estimate() == 0; }

private:
    using index = std::int64_t;
    template <class U>
    using atomic = typename Atomics::template atomic<U>;

    struct ring {
        explicit ring(std::size_t capacity)
            : mask(capacity - 1), slots(std::make_unique<atomic<T*>[]>(capacity)) {}

        atomic<T*>& slot(index position) {
            return slots[static_cast<std::size_t>(position) & mask];
        }

        const std::size_t mask;
        const std::unique_ptr<atomic<T*>[]> slots;
        // the smaller rings before this one: they live as long as the deque, because a slow thief
        // may still read them
        std::unique_ptr<ring> older;
    };

    // Hidden from ThreadSanitizer, because ULTs of the owner's stream use the rings one after
    // another, and it does not see how they are ordered.
    static std::unique_ptr<ring> make_ring(std::size_t capacity) {
        [[maybe_unused]] const probe::unwatched allocating;
        return std::make_unique<ring>(capacity);
    }

    // Hidden from ThreadSanitizer, for the reason given at make_ring().
    void adopt(std::unique_ptr<ring> larger) {
        [[maybe_unused]] const probe::unwatched moving;
        larger->older = std::move(rings_);
        rings_ = std::move(larger);
    }

    ring& own_ring() const { return *rings_; }

    LAZULT_ALWAYS_INLINE void push_at(index bottom, T* item) {
        // published by the next line
        own_ring().slot(bottom).store(item, std::memory_order_relaxed);
        // pairs with: try_steal(), load of bottom_
        bottom_.store(bottom + 1, std::memory_order_release);
    }

    // Owner. Returns the index of the bottom element.
    index newest() const {
        return bottom_.load(std::memory_order_relaxed) - 1;
    }  // pairs with: the owner's own stores

    // Pops the bottom element. `settle` returns whether the owner gets the last element.
    template <class Settle>
    LAZULT_ALWAYS_INLINE T* pop_settled_by(Settle settle) {
        const index bottom = newest();
        // An old value of top_ can only make the deque look too full.
        // pairs with: try_steal(), CAS of top_
        if (top_.load(std::memory_order_relaxed) > bottom) {
            return nullptr;
        }
        // pairs with: push(), same thread
        T* const item = own_ring().slot(bottom).load(std::memory_order_relaxed);
        const index top = lower(bottom);
        return top < bottom || settle(top, bottom) ? item : nullptr;
    }

    // Takes the element at `bottom`, the newest index. Returns false if a thief took it first.
    LAZULT_ALWAYS_INLINE bool take_at(index bottom) {
        const index top = lower(bottom);
        return top < bottom || take_last(top, bottom);
    }

    // Decrements bottom_ to `bottom`, so that thieves leave that element alone. Returns top_. If it
    // is below `bottom`, the element is the owner's; else settle_last() decides.
    LAZULT_ALWAYS_INLINE index lower(index bottom) {
        // Release: a thief that reads this value also sees what push() stored in the slots below.
        // pairs with: try_steal(), load of bottom_
        bottom_.store(bottom, std::memory_order_release);
        Atomics::light_barrier();                     // pairs with: try_steal(), heavy_barrier
        return top_.load(std::memory_order_relaxed);  // pairs with: try_steal(), CAS of top_
    }

    LAZULT_NOINLINE bool take_last(index top, index bottom) { return settle_last(top, bottom); }

    // Precondition: bottom_ was decremented, and at most one element is left. Decides between the
    // owner and the thieves, and leaves the deque empty. Returns true if the owner gets the
    // element.
    LAZULT_ALWAYS_INLINE bool settle_last(index top, index bottom) {
        // pairs with: try_steal(), CAS of top_
        const bool won =
            top == bottom && swap_if<Atomics>(top_, top, top + 1, std::memory_order_relaxed,
                                              std::memory_order_relaxed);
        // Release: a thief that sees this store, but an old top_, reads slots that push() stored.
        // pairs with: try_steal()
        bottom_.store(bottom + 1, std::memory_order_release);
        return won;
    }

    LAZULT_NOINLINE void make_room(index bottom) {
        // pairs with: try_steal(), CAS: the slot was read
        top_seen_ = top_.load(std::memory_order_acquire);
        if (bottom - top_seen_ >= capacity_) {
            grow(bottom);
        }
    }

    void grow(index bottom) {
        auto larger = make_ring(2 * static_cast<std::size_t>(capacity_));
        for (index position = top_seen_; position < bottom; ++position) {
            // pairs with: push(), same thread; published by the store of ring_
            larger->slot(position).store(own_ring().slot(position).load(std::memory_order_relaxed),
                                         std::memory_order_relaxed);
        }
        adopt(std::move(larger));
        capacity_ *= 2;
        // pairs with: try_steal(), load of ring_
        ring_.store(rings_.get(), std::memory_order_release);
    }

    alignas(base::cache_line) atomic<index> top_{0};
    alignas(base::cache_line) atomic<index> bottom_{0};
    std::unique_ptr<ring> rings_;
    atomic<ring*> ring_;
    index top_seen_ = 0;
    index capacity_;
};

}  // namespace lazult::ds
