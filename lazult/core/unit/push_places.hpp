// SPDX-License-Identifier: BSD-3-Clause
// The pools to which a thread is pushing now. A thread that destroys a pool waits until no thread
// names the pool here.
//
// A push to one pool may lead to a push to another one: a pool may forward, and a user's pool may
// wake a unit. The outer push has not ended then, so each push has a place of its own. If pushes
// nest deeper than there are places, the last place holds `anywhere`, which stands for every pool,
// until the push that took that place ends.
//
//   places_[i]   null -> pool       enter()   the thread
//                pool -> anywhere   enter()   the thread, of the last place only
//                any  -> null       leave()   the thread
//
// field     written by   read by               order
// places_   the thread   a pool's destroyer    release / acquire
// depth_    the thread   a pool's destroyer    relaxed: an atomic only because ThreadSanitizer
//                                              takes units for threads, and an order between them
//                                              here would hide races
//
// A destroyer misses no push. It has seen the end of the unit that was pushed. The pusher stored
// the place before it published the unit, so the destroyer reads that place, or a later value.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::core {

template <class Atomics = ds::default_atomics, std::size_t Places = 3>
class push_places {
public:
    // Notes a push to the pool. Called before the unit is published.
    void enter(const void* pool) noexcept {
        // A destroyer that waits for this push is ordered after this store by the unit itself. The
        // store is a release for a destroyer that waits for an earlier push and reads this value
        // instead: a relaxed store would hide what leave() released.
        // pairs with: holds(), load of places_
        const std::size_t depth = depth_.load(std::memory_order_relaxed);
        places_[depth < Places ? depth : Places - 1].store(depth < Places ? pool : anywhere(),
                                                           std::memory_order_release);
        depth_.store(depth + 1, std::memory_order_relaxed);
    }

    void leave() noexcept {
        const std::size_t depth = depth_.load(std::memory_order_relaxed) - 1;
        depth_.store(depth, std::memory_order_relaxed);
        if (depth < Places) {
            // pairs with: holds(), load of places_
            places_[depth].store(nullptr, std::memory_order_release);
        }
    }

    // Clears all places: for a thread that does not exist in a forked child.
    void forget() noexcept {
        for (auto& each : places_) {
            each.store(nullptr, std::memory_order_relaxed);  // no other thread is there
        }
        depth_.store(0, std::memory_order_relaxed);
    }

    // Returns whether the thread is still pushing to the pool. Any thread may call this.
    bool holds(const void* pool) const noexcept {
        for (const auto& each : places_) {
            const void* there =
                each.load(std::memory_order_acquire);  // pairs with: leave(), store of places_
            if (there == pool || there == anywhere()) {
                return true;
            }
        }
        return false;
    }

private:
    static const void* anywhere() noexcept {
        return reinterpret_cast<const void*>(std::uintptr_t{1});
    }

    std::array<typename Atomics::template atomic<const void*>, Places> places_{};
    typename Atomics::template atomic<std::size_t> depth_{0};
};

}  // namespace lazult::core
