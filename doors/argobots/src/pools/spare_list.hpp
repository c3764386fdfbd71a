// SPDX-License-Identifier: BSD-3-Clause
// A lock-free list of unused items, for the next thread that needs one. take() removes the whole
// list and puts the rest back. So no thread ever removes an item from the head while another thread
// reads that item's link, and there is no ABA problem.
//
// field        written by              read by                 order
// first_       keep, take              take                    CAS release; exchange acquire
// next_spare   the item's only holder  the item's only holder  handed over with the item
#pragma once

#include <atomic>

#include "lazult/ds/ds.hpp"

namespace lazult::abt {

// The type of a plain field that threads hand to each other. Tests of the model checker specialise
// it, so that the checker sees races on the field.
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

    // Returns an item, or nullptr if there is none. It may also return nullptr while another thread
    // has the whole list and is about to put back what it does not need.
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
