// SPDX-License-Identifier: BSD-3-Clause
// A list of functions that doors register, each for the units that have one of certain user_bits.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

// Entries are added and never removed.
//   free -> being made -> made    add
//
// field      written by  read by    order
// state      add         anybody    release / acquire: publishes user_bits and hook
// user_bits  add         anybody    published by state
// hook       add         anybody    published by state
template <class Hook>
class door_hooks {
public:
    // Returns false if all entries are in use. Adding the same hook again does nothing.
    bool add(std::uint16_t user_bits, Hook hook) noexcept {
        for (entry& e : entries_) {
            std::uint8_t seen = free;
            // acquire (failure) pairs with: the store below, of another thread
            if (e.state.compare_exchange_strong(seen, being_made, std::memory_order_relaxed,
                                                std::memory_order_acquire)) {
                e.user_bits = user_bits;
                e.hook = hook;
                // pairs with: add() and for_each(), loads of state
                e.state.store(made, std::memory_order_release);
                return true;
            }
            if (seen == made && e.hook == hook && e.user_bits == user_bits) {
                return true;
            }
        }
        return false;
    }

    template <class Visit>
    void for_each(const work_unit& u, Visit&& visit) const {
        for (const entry& e : entries_) {
            // pairs with: add(), store of state
            if (e.state.load(std::memory_order_acquire) == made &&
                (e.user_bits & u.header.user_bits) != 0) {
                visit(e.hook);
            }
        }
    }

private:
    enum : std::uint8_t { free, being_made, made };
    struct entry {
        ds::default_atomics::atomic<std::uint8_t> state{free};
        std::uint16_t user_bits = 0;
        Hook hook = nullptr;
    };
    entry entries_[8];
};

}  // namespace lazult::core
