// SPDX-License-Identifier: BSD-3-Clause
// Work-stealing deque: its owner pushes and pops at the bottom, last in first out; thieves steal at
// the top, first in first out.
//
// Sources: Chase and Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005); Lê, Pop, Cohen and
// Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013). Where
// the latter has fences, this one has an asymmetric barrier. The owner's side of it stands between
// pop()'s store of bottom_ and its load of top_, and is free. A thief's side stands between its
// loads of top_ and bottom_, and is a system call that reaches every thread of the process. So if a
// pop() and a steal() race, at least one sees the other. If they race for the last element, both
// settle it on top_. Thieves had better ask the owner first: see core/worker/steal_lane.hpp.
//
// field        | written by             | read by        | order
// top_         | thieves; owner (last)  | all            | a thief's CAS release, make_room()
//              |                        |                | acquire: the slot was read; else
//              |                        |                | relaxed, and with bottom_ the barriers
// bottom_      | owner                  | all            | release / acquire; with top_ the
//              |                        |                | barriers
// ring_        | owner (growth)         | all            | release / acquire
// slots        | owner                  | all            | relaxed: bottom_ publishes, the CAS
//              |                        |                | validates
// top_seen_    | owner                  | owner          | plain: a lower bound of top_: push()
//              |                        |                | reads the thieves' line only when the
//              |                        |                | ring seems full
// capacity_    | owner                  | owner          | plain
//
// Both indices only grow (64 bits: never around), except that pop() takes bottom_ back by one.
#pragma once

#include "lazult/base/base.hpp"
#include "lazult/ds/alone.hpp"
#include "lazult/ds/atomics.hpp"
#include "lazult/probe/probe.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace lazult::ds {

// The result of one attempt to steal. `contended`: another thread took the element; there may be
// more.
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
    deque(const deque&) = delete;
    deque& operator=(const deque&) = delete;

    // Owner. The item must not be null. Throws std::bad_alloc, with the deque unchanged, if it
    // cannot grow.
    void push(T* item) {
        // pairs with: the owner's own stores
        const index bottom = bottom_.load(std::memory_order_relaxed);
        if (bottom - top_seen_ >= capacity_) LAZULT_UNLIKELY {
            make_room(bottom);
        }
        push_at(bottom, item);
    }

    // Owner. Whether push() would need neither memory nor a look at what thieves have taken. If so,
    // push_into_room() pushes without that check.
    bool has_room() const {
        return bottom_.load(std::memory_order_relaxed) - top_seen_ <
               capacity_;  // pairs with: the owner's own stores
    }
    // Owner. Whether the deque has fewer elements than `limit`, which is at most the capacity.
    // False also if it is not sure: recount() finds out.
    bool has_room_below(std::size_t limit) const {
        // pairs with: the owner's own stores
        return bottom_.load(std::memory_order_relaxed) - top_seen_ < static_cast<index>(limit);
    }
    // Owner. Counts the elements. has_room_below() uses the count from then on.
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

    // Owner. Null when the deque is empty. Without a locked instruction but for the last element.
    LAZULT_ALWAYS_INLINE T* pop() {
        return pop_settled_by([this](index top, index bottom) { return take_last(top, bottom); });
    }
    // As pop(), but inlined throughout. A caller that makes no other call then needs no frame.
    LAZULT_ALWAYS_INLINE T* pop_without_call() {
        return pop_settled_by([this](index top, index bottom) { return settle_last(top, bottom); });
    }

    // Owner. Whether the bottom element is the given one. True also if the deque is empty, but the
    // slot still holds that element from before: take_bottom() finds out.
    LAZULT_ALWAYS_INLINE bool is_bottom(const T* item) const { return peek_newest() == item; }
    // Owner. The bottom element, or an old one if the deque is empty.
    LAZULT_ALWAYS_INLINE T* peek_newest() const {
        // pairs with: push(), same thread
        return own_ring().slot(newest()).load(std::memory_order_relaxed);
    }
    // Owner. Takes the element for which is_bottom() has just returned true. False if a thief has
    // it.
    LAZULT_ALWAYS_INLINE bool take_bottom() { return take_at(newest()); }

    // Owner. Takes the bottom element if it is the given one.
    LAZULT_ALWAYS_INLINE bool pop_if(T* item) { return is_bottom(item) && take_bottom(); }

    // Owner. Takes the top element, or returns null when the deque is empty. It needs no barrier:
    // at the top the owner meets only thieves, which the CAS excludes, and not its own pops.
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

    // Owner. Whether the oldest element is the given one. A thief may take it at any time:
    // take_oldest_if() finds out.
    bool is_top(const T* item) const {
        // pairs with: try_steal(), CAS of top_
        const index top = top_.load(std::memory_order_relaxed);
        return own_ring().slot(top).load(std::memory_order_relaxed) ==
               item;  // pairs with: push(), same thread
    }
    // Owner. Takes the oldest element if it is the given one. False if a thief has it.
    bool take_oldest_if(const T* item) {
        index top = top_.load(std::memory_order_relaxed);  // pairs with: try_steal(), CAS of top_
        // The slot may be an old one of a deque that is empty. pairs with: the owner's own stores
        return top < bottom_.load(std::memory_order_relaxed) &&
               own_ring().slot(top).load(std::memory_order_relaxed) == item &&
               // pairs with: try_steal(), CAS of top_
               swap_if<Atomics>(top_, top, top + 1, std::memory_order_relaxed,
                                std::memory_order_relaxed);
    }

    // Owner. Where the next push goes. An element keeps its index; one that was stolen leaves an
    // index that no later element gets, because the bottom never falls below the top.
    std::uint64_t bottom_index() const {
        return static_cast<std::uint64_t>(
            bottom_.load(std::memory_order_relaxed));  // pairs with: the owner's own stores
    }

    // Anyone but the owner's own thread, which has take_oldest(). One attempt at the top element.
    // Costs microseconds.
    steal_attempt<T> try_steal() {
        // Relaxed: the barrier keeps it before the load of bottom_. pairs with: pop() and other
        // thieves, CAS
        index top = top_.load(std::memory_order_relaxed);
        // If the owner pops after this barrier, it sees at least this top. If it popped before,
        // this thief sees its store of bottom_. pairs with: pop(), light_barrier
        Atomics::heavy_barrier();
        // pairs with: push() and pop(), stores
        const index bottom = bottom_.load(std::memory_order_acquire);
        if (top >= bottom) {
            return {nullptr, false};
        }
        ring& current = *ring_.load(std::memory_order_acquire);             // pairs with: grow()
        T* const item = current.slot(top).load(std::memory_order_relaxed);  // validated by the CAS
        // Release, so that the owner reuses the slot after this thread read it. Pairs with:
        // make_room(), through whatever CAS came after it. A failure needs nothing.
        if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_release,
                                          std::memory_order_relaxed)) {
            return {nullptr, true};
        }
        return {item, false};
    }

    // Anyone but the owner's own thread. Repeats try_steal() while other threads take the element
    // first. Null only if the deque was empty at some moment of the call. Each attempt costs
    // microseconds.
    T* steal() {
        steal_attempt<T> attempt = try_steal();
        while (attempt.contended) {
            Atomics::pause();
            attempt = try_steal();
        }
        return attempt.item;
    }

    // Anyone. Oldest first. An estimate while others work on the deque: an element may be missed,
    // or shown though it has just been taken.
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
            // a ring that has just grown does not hold what was taken before
            if (item != nullptr) {
                visit(item);
            }
        }
    }

    // Anyone. Exact when nobody works on the deque; for the owner, never below the truth.
    std::size_t size_estimate() const {
        // pairs with: nothing: an estimate
        const index top = top_.load(std::memory_order_relaxed);
        // pairs with: nothing: an estimate
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
        // a slow thief may read an old ring: all live as long as the deque
        std::unique_ptr<ring> older;
    };

    // Not watched by ThreadSanitizer: the owner's fibers use the rings without an edge between
    // them.
    static std::unique_ptr<ring> make_ring(std::size_t capacity) {
        [[maybe_unused]] const probe::unwatched allocating;
        return std::make_unique<ring>(capacity);
    }

    // Not watched, for the same reason as in make_ring().
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

    // Owner.
    index newest() const {
        return bottom_.load(std::memory_order_relaxed) - 1;
    }  // pairs with: the owner's own stores

    // `settle` returns whether the owner gets the last element.
    template <class Settle>
    LAZULT_ALWAYS_INLINE T* pop_settled_by(Settle settle) {
        const index bottom = newest();
        // pairs with: try_steal(), CAS of top_; an old value can only look fuller than the deque is
        if (top_.load(std::memory_order_relaxed) > bottom) {
            return nullptr;
        }
        // pairs with: push(), same thread
        T* const item = own_ring().slot(bottom).load(std::memory_order_relaxed);
        const index top = lower(bottom);
        return top < bottom || settle(top, bottom) ? item : nullptr;
    }

    LAZULT_ALWAYS_INLINE bool take_at(index bottom) {
        const index top = lower(bottom);
        return top < bottom || take_last(top, bottom);
    }

    // Claims the element at `bottom` for the owner. Returns the top that thieves have reached. If
    // that is below `bottom`, the element is the owner's; else settle_last() decides.
    LAZULT_ALWAYS_INLINE index lower(index bottom) {
        // Release: a thief that reads this value finds what push() stored below it.
        // pairs with: try_steal(), load of bottom_
        bottom_.store(bottom, std::memory_order_release);
        Atomics::light_barrier();                     // pairs with: try_steal(), heavy_barrier
        return top_.load(std::memory_order_relaxed);  // pairs with: try_steal(), CAS of top_
    }

    LAZULT_NOINLINE bool take_last(index top, index bottom) { return settle_last(top, bottom); }

    // Precondition: one element is left, or none. Settles with the thieves which side gets it. The
    // deque is empty afterwards.
    LAZULT_ALWAYS_INLINE bool settle_last(index top, index bottom) {
        // pairs with: try_steal(), CAS of top_
        const bool won =
            top == bottom && swap_if<Atomics>(top_, top, top + 1, std::memory_order_relaxed,
                                              std::memory_order_relaxed);
        // Release: it may be seen before the CAS, and then a thief takes what push() stored.
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
