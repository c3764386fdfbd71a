// SPDX-License-Identifier: BSD-3-Clause
// Things that are not in use, for the next thread that needs one. The list is taken whole: so an
// item that another thread looks at cannot be at the list's head again meanwhile.
//
// field        written by     read by    order
// first_       keep, take     take       CAS release; exchange acquire
// next_spare   its holder     the same   handed over with the thing
#pragma once

#include <atomic>

#include "lazult/ds/ds.hpp"

namespace lazult::abt {

// The type of a plain field that threads hand to each other. The model checker's tests specialise
// it, to see races on it.
template <class Atomics, class T>
struct handed_over {
    using type = T;
};

template <class Atomics>
struct spare {
    typename handed_over<Atomics, spare*>::type next_spare{nullptr};
};

template <class Atomics = ds::default_atomics>
class spare_list {
public:
    using item = spare<Atomics>;

    void keep(item* first) noexcept {
        item* last = first;
        while (item* const next = last->next_spare) {
            last = next;
        }
        item* head = first_.load(std::memory_order_relaxed);
        do {
            last->next_spare = head;
            // release pairs with: take(), exchange
        } while (!first_.compare_exchange_weak(head, first, std::memory_order_release,
                                               std::memory_order_relaxed));
    }

    // nullptr: there is none, or somebody else has just taken all to put back what it does not
    // need.
    item* take() noexcept {
        // pairs with: keep(), CAS
        item* const taken = first_.exchange(nullptr, std::memory_order_acquire);
        if (taken != nullptr) {
            if (item* const rest = taken->next_spare; rest != nullptr) {
                taken->next_spare = nullptr;
                keep(rest);
            }
        }
        return taken;
    }

private:
    typename Atomics::template atomic<item*> first_{nullptr};
};

}  // namespace lazult::abt
