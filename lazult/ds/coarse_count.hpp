// SPDX-License-Identifier: BSD-3-Clause
// A number, and a cached function of it (`follows_`). The number changes often. The cache changes
// seldom, and has many readers. Each has a line of its own, so a reader keeps its copy of the
// cache's line for as long as the cached value stays the same.
//
// The cache is correct once all changes are over. Of two changers that store the cache, the later
// one may have seen the older number. So a changer that has stored the cache loads the number
// again, and repeats until the two agree. A changer also loads the cache after it has changed the
// number. So of one thread's change and another thread's store of the cache, either the storer sees
// the change, or the changer sees what was stored.
//
// field     written by  read by         order
// number_   anybody     its changers    seq_cst, against follows_
// follows_  changers    anybody         seq_cst, against number_; other readers relaxed: a hint
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
        // pairs with: the store below
        while (follows != follows_.load(std::memory_order_seq_cst)) {
            // pairs with: the load above
            follows_.store(follows, std::memory_order_seq_cst);
            // pairs with: the fetch_add above
            follows = follow(number_.load(std::memory_order_seq_cst));
        }
    }

    int what_follows() const noexcept {
        return follows_.load(std::memory_order_relaxed);  // as of some number that there was
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
