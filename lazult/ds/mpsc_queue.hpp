// SPDX-License-Identifier: BSD-3-Clause
// Intrusive queue from many producers to one consumer that takes everything at once: an inbox, a
// list of remote frees. Producers push on a stack (Treiber, "Systems Programming: Coping with
// Parallelism", IBM 1986); the consumer swaps the whole stack for null and reverses it. Elements
// are never popped one by one, so there is no ABA.
//
// field      | written by                | read by   | order
// newest_    | producers; consumer       | all       | push: CAS release; take_all: exchange
//            |                           |           | acquire
// T::*Next   | producer before its push, | consumer  | plain: newest_ publishes it
//            | consumer after its take   |           |
#pragma once

#include "lazult/base/base.hpp"
#include "lazult/ds/atomics.hpp"

namespace lazult::ds {

// Next: the T* member of T that links elements while they are in the queue.
template <class T, auto Next, class Atomics = default_atomics>
class mpsc_queue {
public:
    mpsc_queue() = default;
    mpsc_queue(const mpsc_queue&) = delete;
    mpsc_queue& operator=(const mpsc_queue&) = delete;

    // Anyone. True if the queue was empty. Of the producers that push between two takes, exactly
    // one gets true.
    bool push(T* item) {
        // pairs with: nothing: never dereferenced here
        T* newest = newest_.load(std::memory_order_relaxed);
        item->*Next = newest;
        // pairs with: take_all(). A read-modify-write, so it carries on what earlier pushes
        // released.
        while (!newest_.compare_exchange_weak(newest, item, std::memory_order_release,
                                              std::memory_order_relaxed)) {
            Atomics::pause();
            item->*Next = newest;
        }
        return newest == nullptr;
    }

    // Consumer. All elements, oldest first, linked by Next and ended by null.
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

    // While nobody takes: what was pushed before the call, newest first.
    template <class Visit>
    void for_each(Visit&& visit) const {
        const T* newest = newest_.load(std::memory_order_acquire);  // pairs with: push(), CAS
        for (auto* item = const_cast<T*>(newest); item != nullptr;) {
            T* const older = item->*Next;
            visit(item);
            item = older;
        }
    }

    // Anyone.
    bool empty_estimate() const {
        // pairs with: nothing: an estimate
        return newest_.load(std::memory_order_relaxed) == nullptr;
    }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;

    alignas(base::cache_line) atomic<T*> newest_{nullptr};
};

}  // namespace lazult::ds
