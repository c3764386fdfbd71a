// SPDX-License-Identifier: BSD-3-Clause
// An intrusive pairing heap of timers: insertion in constant time, removal of any in logarithmic
// time, amortised, and no memory of its own. Source: Fredman, Sedgewick, Sleator and Tarjan, "The
// Pairing Heap" (Algorithmica 1, 1986). Not synchronised.
#pragma once

#include "lazult/sync/timers.hpp"

#include <cstddef>
#include <utility>

namespace lazult::sync {

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

    // Of two roots without siblings.
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
