// SPDX-License-Identifier: BSD-3-Clause
// A queue that one thread owns, first in, first out, intrusive. Its owner takes no lock and no
// locked instruction. Others may take the first element while the owner does something else: that
// costs them a system call, which reaches every thread of the process. So they had better ask the
// owner first: see core/worker/steal_lane.hpp.
//
// Two words lock the queue, and the owner takes the lock without a locked instruction. Each side
// stores that it is inside, and then reads whether the other one is. The asymmetric barrier stands
// between the store and the load. So if both come at the same time, at least one sees the other.
// The side that sees the other one leaves the queue as it is and returns: nobody waits. The owner
// may push only if light_barrier_is_free() has returned true once. Its side stops the compiler
// only. The takers reach it by the system call, or by another way if the kernel begins to refuse
// that call.
//
//   owner_is_in_   false -> true    enter()          the owner; back at once if it then finds a
//                                                    taker
//                  true  -> false   leave()          the owner
//   is_taken_      false -> true    begin_taking()   one of the takers; back at once if it then
//                                                    finds the owner
//                  true  -> false   end_taking()     the same
//
// field            writer                reader                order
// owner_is_in_     the owner             takers                leave() release / acquire; with
//                                                              is_taken_ the barriers
// is_taken_        takers                the owner, takers     end_taking() release / acquire; with
//                                                              owner_is_in_ the barriers
// first_, last_,   the side inside       the side inside       plain: the two words order the
//                                                              accesses
// T::*Next
// count_           the side inside       any thread            relaxed: an estimate
#pragma once

#include "lazult/base/base.hpp"
#include "lazult/ds/atomics.hpp"

#include <cstddef>

namespace lazult::ds {

// Next: the T* member of T that links elements while they are in the queue.
template <class T, auto Next, class Atomics = default_atomics>
class owned_fifo {
public:
    owned_fifo() = default;
    owned_fifo(const owned_fifo&) = delete;
    owned_fifo& operator=(const owned_fifo&) = delete;

    // Owner. False, without any effect, while a taker is inside. push() calls `prepare` with the
    // element before others can see it. `prepare` marks the element if it is not ready for takers:
    // see take().
    template <class Prepare>
    bool push(T* item, Prepare&& prepare) noexcept {
        if (!enter()) LAZULT_UNLIKELY {
            return false;
        }
        prepare(*item);
        append(item);
        change_count(1);
        leave();
        return true;
    }

    bool push(T* item) noexcept {
        return push(item, [](T&) {});
    }

    // Owner. Null when the queue is empty, or while a taker is inside.
    LAZULT_ALWAYS_INLINE T* pop() noexcept {
        if (empty_estimate() || !enter()) {
            return nullptr;
        }
        T* const first = take_first();
        leave();
        return first;
    }

    // Owner. Takes the first element, and puts this one at the end, as push() does. Null, without
    // any effect, when the queue is empty, or while a taker is inside.
    template <class Prepare>
    LAZULT_ALWAYS_INLINE T* rotate(T* item, Prepare&& prepare) noexcept {
        if (!enter()) LAZULT_UNLIKELY {
            return nullptr;
        }
        T* const first = first_;
        if (first != nullptr) LAZULT_LIKELY {
            prepare(*item);
            append_to_others(item);
            first_ = first->*Next;
        }
        leave();
        return first;
    }

    // Anybody but the owner's own thread. Takes the first element if is_ready(element) returns
    // true. Null also if the owner or another taker is inside. Costs microseconds.
    template <class Ready>
    T* take(Ready&& is_ready) noexcept {
        if (empty_estimate() || !begin_taking()) {
            return nullptr;
        }
        T* const first = first_ != nullptr && is_ready(*first_) ? take_first() : nullptr;
        end_taking();
        return first;
    }

    // Anybody. Shows the elements, oldest first, and takes none. It shows nothing while the other
    // side, or another taker, is inside.
    template <class Visit>
    void for_each(bool by_owner, Visit&& visit) noexcept {
        if (empty_estimate() || (by_owner ? !enter() : !begin_taking())) {
            return;
        }
        for (T* item = first_; item != nullptr;) {
            T* const following = item->*Next;  // the visitor may change the item
            visit(item);
            item = following;
        }
        by_owner ? leave() : end_taking();
    }

    // Anybody. Estimates, because others may change the queue meanwhile. For the owner they are
    // never below the truth.
    std::size_t size_estimate() const noexcept {
        return count_.load(std::memory_order_relaxed);  // pairs with: nothing: an estimate
    }
    bool empty_estimate() const noexcept { return size_estimate() == 0; }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;

    LAZULT_ALWAYS_INLINE bool enter() noexcept {
        // pairs with: begin_taking(), through the barriers
        owner_is_in_.store(true, std::memory_order_relaxed);
        // pairs with: begin_taking(), barrier_against_free
        Atomics::free_barrier();
        // pairs with: end_taking(), and with begin_taking() through the barriers
        if (is_taken_.load(std::memory_order_acquire)) LAZULT_UNLIKELY {
            leave();
            return false;
        }
        return true;
    }
    LAZULT_ALWAYS_INLINE void leave() noexcept {
        owner_is_in_.store(false, std::memory_order_release);  // pairs with: begin_taking(), load
    }

    bool begin_taking() noexcept {
        bool expected = false;
        // acquire pairs with: end_taking() of another taker
        if (!is_taken_.compare_exchange_strong(expected, true, std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
            return false;
        }
        Atomics::barrier_against_free();  // pairs with: enter(), free_barrier
        // pairs with: leave(), and with enter() through the barriers
        if (owner_is_in_.load(std::memory_order_acquire)) {
            end_taking();
            return false;
        }
        return true;
    }
    void end_taking() noexcept {
        // pairs with: enter(), load; begin_taking(), CAS
        is_taken_.store(false, std::memory_order_release);
    }

    // Precondition of these four: the caller is inside, after enter() or begin_taking().
    void append(T* item) noexcept {
        if (first_ == nullptr) {
            item->*Next = nullptr;
            first_ = last_ = item;
        } else {
            append_to_others(item);
        }
    }
    LAZULT_ALWAYS_INLINE void append_to_others(T* item) noexcept {
        item->*Next = nullptr;
        last_->*Next = item;
        last_ = item;
    }
    LAZULT_ALWAYS_INLINE T* take_first() noexcept {
        T* const first = first_;
        if (first != nullptr) LAZULT_LIKELY {
            first_ = first->*Next;
            change_count(-1);
        }
        return first;
    }
    void change_count(int change) noexcept {
        // pairs with: nothing: an estimate to all others
        count_.store(count_.load(std::memory_order_relaxed) + static_cast<std::size_t>(change),
                     std::memory_order_relaxed);
    }

    alignas(base::cache_line) atomic<bool> owner_is_in_{false};
    atomic<bool> is_taken_{false};
    T* first_ = nullptr;
    T* last_ = nullptr;
    atomic<std::size_t> count_{0};
};

}  // namespace lazult::ds
