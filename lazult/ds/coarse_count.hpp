// SPDX-License-Identifier: BSD-3-Clause
// A counter, `number_`, and the cached result of a function of it, `follows_`. The counter changes
// often. The result changes seldom, and has many readers. Each has a cache line of its own, so a
// reader keeps its copy of the result's line for as long as the result stays the same.
//
// The result is correct once all calls of add() have returned. If threads A and B both store the
// result, B may store it last though it saw the older number. So a thread that has stored the
// result loads the number again, and repeats until the two agree. A thread also loads the result
// after it has changed the number. So if A changes the number while B stores the result, B sees the
// new number, or A sees what B stored.
//
// field     written by     read by         order
// number_   any thread     the same        seq_cst, against follows_
// follows_  callers of     any thread      seq_cst, against number_; what_follows() relaxed: a hint
//           add()
#pragma once

#include "lazult/ds/atomics.hpp"

namespace lazult::ds {

template <class Atomics = default_atomics>
class coarse_count {
public:
    constexpr explicit coarse_count(int follows_from_none) noexcept : follows_(follows_from_none) {}

    // Adds `change`. `follow` computes the result from the number, the same in all calls.
    template <class Follow>
    void add(int change, Follow follow) noexcept {
        // pairs with: the load of number_ below
        int follows = follow(number_.fetch_add(change, std::memory_order_seq_cst) + change);
        // pairs with: the store below
        while (follows != follows_.load(std::memory_order_seq_cst)) {
            // pairs with: the load above
            follows_.store(follows, std::memory_order_seq_cst);
            // pairs with: the fetch_add above
            follows = follow(number_.load(std::memory_order_seq_cst));
        }
    }

    int what_follows() const noexcept {
        return follows_.load(std::memory_order_relaxed);  // relaxed: a hint, maybe an older result
    }

    // Precondition: no other thread uses this object.
    void reset(int follows_from_none) noexcept {
        number_.store(0, std::memory_order_relaxed);
        follows_.store(follows_from_none, std::memory_order_relaxed);
    }

private:
    template <class T>
    using atomic = typename Atomics::template atomic<T>;

    alignas(base::cache_line) atomic<int> number_{0};
    alignas(base::cache_line) atomic<int> follows_;
};

}  // namespace lazult::ds
