// SPDX-License-Identifier: BSD-3-Clause
// The pools to which a thread is pushing. A thread that destroys a pool looks here first.
//
// A push to one pool may lead to a push to another one: a pool may forward, or a user's pool may
// wake a unit. While the inner push lasts, the outer one has not ended, so each has a place of its
// own. If pushes are nested deeper than there are places, the last place stands for every pool. It
// does so until the push that took it ends.
//
//   places_[i]   null -> pool       enter()   the thread
//                pool -> anywhere   enter()   the thread, of the last place only
//                any  -> null       leave()   the thread
//
// field     written by   read by               order
// places_   the thread   a pool's destroyer    release / acquire
// depth_    the thread   the same              relaxed: an atomic only because units of one thread
//                                              are threads to ThreadSanitizer, and no edges shall
//                                              be drawn between them here
//
// A destroyer of the pool misses no push. It knows that the unit has ended. So what was stored
// before the unit was published happened before the destroyer's look: it reads that, or what came
// later.
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
    // Before the unit is published.
    void enter(const void* pool) noexcept {
        // Published together with the unit. Release all the same, for a destroyer that waits for an
        // earlier push and finds this one instead: a relaxed store would end what leave() released.
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

    // When the thread is gone: in a forked child.
    void forget() noexcept {
        for (auto& each : places_) {
            each.store(nullptr, std::memory_order_relaxed);  // no other thread is there
        }
        depth_.store(0, std::memory_order_relaxed);
    }

    // Anyone: whether the thread is still pushing there.
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
