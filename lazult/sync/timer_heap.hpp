// SPDX-License-Identifier: BSD-3-Clause
// Timers, and an intrusive pairing heap of them, which allocates nothing. An insertion takes
// constant time, a removal of any timer takes logarithmic time, amortised. Source: Fredman,
// Sedgewick, Sleator and Tarjan, "The Pairing Heap" (Algorithmica 1, 1986). Not synchronised.
#pragma once

#include "lazult/sync/waiter.hpp"

#include <cstddef>
#include <utility>

namespace lazult::sync {

// A timer lies on the waiting caller's stack, and is in use from start_timer() to cancel_timer().
// Its links form the heap: the first child, the next sibling, and `before`: the previous sibling
// or, for a first child, the parent.
//
// field      written by                                  read by             order
// deadline.. the caller, before start_timer()            the timer thread    the service's lock
// links      the holder of the service's lock            the same            the service's lock
// state      the holder of the service's lock            the same            the service's lock
struct timer {
    enum class life : std::uint8_t {
        idle,   // not started, or cancelled
        armed,  // in the heap
        fired,
    };

    std::int64_t deadline_ns = no_deadline;
    core::work_unit* unit = nullptr;
    claim_word<>* claim = nullptr;  // nullptr: the wait has none, so firing is the claim
    timer* child = nullptr;
    timer* sibling = nullptr;
    timer* before = nullptr;
    life state = life::idle;
};

class timer_heap {
public:
    timer* nearest() const noexcept { return root_; }
    std::size_t size() const noexcept { return size_; }

    void insert(timer& t) noexcept {
        t.child = t.sibling = t.before = nullptr;
        root_ = meld(root_, &t);
        ++size_;
    }

    void remove(timer& t) noexcept {
        timer* orphans = pair_up(std::exchange(t.child, nullptr));
        if (&t == root_) {
            root_ = orphans;
        } else {
            cut(t);
            root_ = meld(root_, orphans);
        }
        --size_;
    }

private:
    static void cut(timer& t) noexcept {
        if (t.before->child == &t) {
            t.before->child = t.sibling;
        } else {
            t.before->sibling = t.sibling;
        }
        if (t.sibling != nullptr) {
            t.sibling->before = t.before;
        }
        t.sibling = t.before = nullptr;
    }

    // Makes one heap of two, and returns its root. The two roots have no siblings.
    static timer* meld(timer* a, timer* b) noexcept {
        if (a == nullptr || b == nullptr) {
            return a == nullptr ? b : a;
        }
        if (b->deadline_ns < a->deadline_ns) {
            std::swap(a, b);
        }
        b->before = a;
        b->sibling = a->child;
        if (a->child != nullptr) {
            a->child->before = b;
        }
        a->child = b;
        return a;
    }

    static timer* detach_first(timer*& list) noexcept {
        timer* t = list;
        if (t != nullptr) {
            list = t->sibling;
            t->sibling = t->before = nullptr;
        }
        return t;
    }

    // Two passes: melds neighbours from left to right, and the results from right to left.
    static timer* pair_up(timer* children) noexcept {
        timer* pairs = nullptr;
        while (children != nullptr) {
            timer* first = detach_first(children);
            timer* second = detach_first(children);
            timer* melded = meld(first, second);
            melded->sibling = pairs;
            pairs = melded;
        }
        timer* result = nullptr;
        while (timer* each = detach_first(pairs)) {
            result = meld(result, each);
        }
        return result;
    }

    timer* root_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace lazult::sync
