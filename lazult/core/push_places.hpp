// SPDX-License-Identifier: BSD-3-Clause
// Where a thread is pushing, for whoever destroys a pool.
//
// A push to one pool may lead to a push to another one: a pool that forwards, a user's pool that wakes somebody. While
// the inner one lasts, the outer one has not ended, so each has a place of its own. Deeper than there are places the
// last one stands for every pool, until the push that it was taken for ends.
//
//   places_[i]   null -> pool       enter()   the thread
//                pool -> anywhere   enter()   the thread, of the last place only
//                any  -> null       leave()   the thread
//
// field     written by   read by               order
// places_   the thread   who destroys a pool   release / acquire
// depth_    the thread   the same              relaxed: an atomic only because flows of one thread are threads to
//                                              ThreadSanitizer, and no edges shall be drawn between them here
//
// Nobody who may destroy the pool misses a push: he knows that the unit has ended, so what was stored before its
// publication happened before his look, and he reads that or what came later.
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
        // Published together with the unit. Release all the same, for whoever waits for an earlier push and finds this
        // one instead: a relaxed store would end what leave() released. pairs with: holds(), load of places_
        const std::size_t depth = depth_.load(std::memory_order_relaxed);
        places_[depth < Places ? depth : Places - 1].store(depth < Places ? pool : anywhere(),
                                                           std::memory_order_release);
        depth_.store(depth + 1, std::memory_order_relaxed);
    }

    void leave() noexcept {
        const std::size_t depth = depth_.load(std::memory_order_relaxed) - 1;
        depth_.store(depth, std::memory_order_relaxed);
        if (depth < Places) {
            places_[depth].store(nullptr, std::memory_order_release);  // pairs with: holds(), load of places_
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
    static const void* anywhere() noexcept { return reinterpret_cast<const void*>(std::uintptr_t{1}); }

    std::array<typename Atomics::template atomic<const void*>, Places> places_{};
    typename Atomics::template atomic<std::size_t> depth_{0};
};

}  // namespace lazult::core
