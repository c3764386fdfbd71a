// SPDX-License-Identifier: BSD-3-Clause
// Intrusive queue from many producers to one consumer, which takes all elements at once; used for
// lists of remote frees, for example. Producers push on a stack (Treiber, "Systems Programming:
// Coping with Parallelism", IBM 1986). The consumer swaps the whole stack for null and reverses it.
// Elements are never popped one by one, so there is no ABA problem.
//
// field      | written by                | read by   | order
// newest_    | producers; consumer       | all       | push: CAS release; take_all: exchange
//            |                           |           | acquire
// T::*Next   | producer before its push, | consumer  | plain: newest_ publishes it
//            | consumer after its take   |           |
#pragma once

#include "lazult/ds/atomics.hpp"

namespace lazult::ds {

// Next: the T* member of T that links elements while they are in the queue.
template <class T, auto Next, class Atomics = default_atomics>
class mpsc_queue {
public:
    // Any thread: adds the item. Returns true if the queue was empty. Of the producers that push
    // between two takes, exactly one gets true.
    bool push(T* item) {
        // relaxed: never dereferenced here
        T* newest = newest_.load(std::memory_order_relaxed);
        item->*Next = newest;
        // Release carries on what earlier pushes released, because this is a read-modify-write.
        // pairs with: take_all()
        while (!newest_.compare_exchange_weak(newest, item, std::memory_order_release,
                                              std::memory_order_relaxed)) {
            Atomics::pause();
            item->*Next = newest;
        }
        return newest == nullptr;
    }

    // Consumer: takes all elements, oldest first, linked by Next and ended by null.
    T* take_all() {
        if (empty_estimate()) {
            return nullptr;
        }
        // pairs with: push(), CAS
        T* newest = newest_.exchange(nullptr, std::memory_order_acquire);
        T* oldest = nullptr;
        while (newest != nullptr) {
            T* const next = newest->*Next;
            newest->*Next = oldest;
            oldest = newest;
            newest = next;
        }
        return oldest;
    }

    // Shows the elements, newest first. Precondition: the consumer takes nothing meanwhile.
    template <class Visit>
    void for_each(Visit&& visit) const {
        const T* newest = newest_.load(std::memory_order_acquire);  // pairs with: push(), CAS
        for (auto* item = const_cast<T*>(newest); item != nullptr;) {
            T* const older = item->*Next;
            visit(item);
            item = older;
        }
    }

    // Any thread: returns true if the queue is empty, which is an estimate.
    bool empty_estimate() const {
        // relaxed: an estimate
        return newest_.load(std::memory_order_relaxed) == nullptr;
    }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;

    alignas(base::cache_line) atomic<T*> newest_{nullptr};
};

}  // namespace lazult::ds
