// SPDX-License-Identifier: BSD-3-Clause
// An intrusive FIFO queue that one thread owns. The owner takes no lock and uses no locked
// instruction. Other threads may take the first element while the owner is not inside. That costs
// them a system call, which reaches every thread of the process. So they should ask the owner
// first: see core/worker/steal_lane.hpp.
//
// Two words lock the queue. Each side stores that it is inside, passes the asymmetric barrier, and
// then reads whether the other side is inside. So if both come at the same time, at least one sees
// the other. A side that sees the other one leaves the queue as it is and returns: nobody waits.
// The owner may push only if light_barrier_is_free() has returned true once, because its side of
// the barrier stops the compiler only. The takers' side is the system call, or another way to reach
// all threads if the kernel begins to refuse that call.
//
//   owner_is_in_   false -> true    enter()          the owner; it leaves at once if it then sees a
//                                                    taker
//                  true  -> false   leave()          the owner
//   is_taken_      false -> true    begin_taking()   a taker; it leaves at once if it then sees the
//                                                    owner
//                  true  -> false   end_taking()     the same taker
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

#include "lazult/ds/atomics.hpp"

#include <cstddef>

namespace lazult::ds {

// Next: the T* member of T that links elements while they are in the queue.
template <class T, auto Next, class Atomics = default_atomics>
class owned_fifo {
public:
    // Owner: adds the item at the end. Returns false, without any effect, while a taker is inside.
    // Calls `prepare` with the item before other threads can see the item, so that `prepare` can
    // mark an item that is not ready for takers: see take().
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

    // Owner: takes the first element. Returns null if the queue is empty, or a taker is inside.
    LAZULT_ALWAYS_INLINE T* pop() noexcept {
        if (empty_estimate() || !enter()) {
            return nullptr;
        }
        T* const first = take_first();
        leave();
        return first;
    }

    // Owner: takes the first element and adds `item` at the end, as push() does. Returns null,
    // without any effect, if the queue is empty or a taker is inside.
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

    // Any thread but the owner's: takes the first element if is_ready(element) returns true. Also
    // returns null if the owner or another taker is inside. Costs microseconds.
    template <class Ready>
    T* take(Ready&& is_ready) noexcept {
        if (empty_estimate() || !begin_taking()) {
            return nullptr;
        }
        T* const first = first_ != nullptr && is_ready(*first_) ? take_first() : nullptr;
        end_taking();
        return first;
    }

    // The same for the oldest element for which is_ready(element) returns true, wherever it stands.
    template <class Ready>
    T* take_any(Ready&& is_ready) noexcept {
        if (empty_estimate() || !begin_taking()) {
            return nullptr;
        }
        T* const taken = unlink_first_that(is_ready);
        end_taking();
        return taken;
    }

    // Owner: takes this element out, wherever it stands. Returns false if it is not here, or a
    // taker is inside.
    bool remove(const T* item) noexcept {
        if (empty_estimate() || !enter()) {
            return false;
        }
        const T* const found = unlink_first_that([item](const T& each) { return &each == item; });
        leave();
        return found != nullptr;
    }

    // The same for an element that may stand in front. Costs no search.
    bool remove_front(const T* item) noexcept {
        if (empty_estimate() || !enter()) {
            return false;
        }
        const bool is_first = first_ == item;
        if (is_first) LAZULT_LIKELY {
            take_first();
        }
        leave();
        return is_first;
    }

    // Any thread: shows the elements, oldest first, and takes none. Shows nothing while the other
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

    // Any thread. Estimates, because other threads may change the queue meanwhile. For the owner
    // they are never too low.
    std::size_t size_estimate() const noexcept {
        return count_.load(std::memory_order_relaxed);  // relaxed: an estimate
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

    // Precondition of the next five functions: the caller is inside, after enter() or
    // begin_taking(). append_to_others() also needs a queue that is not empty.
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
    template <class Wanted>
    T* unlink_first_that(Wanted&& is_wanted) noexcept {
        T* before = nullptr;
        T* each = first_;
        while (each != nullptr && !is_wanted(static_cast<const T&>(*each))) {
            before = each;
            each = each->*Next;
        }
        if (each != nullptr) {
            T* const following = each->*Next;
            if (before == nullptr) {
                first_ = following;
            } else {
                before->*Next = following;
            }
            last_ = each == last_ ? before : last_;
            change_count(-1);
        }
        return each;
    }
    void change_count(int change) noexcept {
        // relaxed: an estimate to all others
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
