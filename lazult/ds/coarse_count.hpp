// SPDX-License-Identifier: BSD-3-Clause
// A number that changes often, and what follows from it, which changes seldom and is read by many. Each has a line of its own: who
// reads keeps a copy of what follows for as long as that stays the same.
//
// When all changes are over, what is read follows from the number. Of two that write what follows, the later one may have seen the
// older number; so who has written looks at the number again, until both agree. Who changes the number looks at what follows behind
// that: of a change and a writing, either the writer sees the change, or the changer what was written.
//
// field     written by  read by         order
// number_   anybody     who changes it  seq_cst, against follows_
// follows_  changers    anybody         seq_cst, against number_; of others relaxed: a hint
#pragma once

#include "lazult/base/base.hpp"
#include "lazult/ds/atomics.hpp"

namespace lazult::ds {

template <class Atomics = default_atomics>
class coarse_count {
public:
    constexpr explicit coarse_count(int follows_from_none) noexcept : follows_(follows_from_none) {}

    // `follow`: a function of the number alone, the same in all calls.
    template <class Follow>
    void add(int change, Follow follow) noexcept {
        // pairs with: the load of number_ below
        int follows = follow(number_.fetch_add(change, std::memory_order_seq_cst) + change);
        while (follows != follows_.load(std::memory_order_seq_cst)) {   // pairs with: the store below
            follows_.store(follows, std::memory_order_seq_cst);         // pairs with: the load above
            follows = follow(number_.load(std::memory_order_seq_cst));  // pairs with: the fetch_add above
        }
    }

    int what_follows() const noexcept {
        return follows_.load(std::memory_order_relaxed);  // as of some number that there was
    }

    // By a thread that is alone with it.
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
