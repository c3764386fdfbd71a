// SPDX-License-Identifier: BSD-3-Clause
// The pools of the door. A pool's handle is the address of its core::pool, so the home of a work
// unit is also the handle of its pool.
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

// Counts the suspended units that have the pool as their home. The owner of a private pool counts
// in a variable of its own, without a locked instruction.
//
// field    written by                      read by    order
// owners_  the owner of a private pool     anybody    release / acquire; a new owner gets it with
//                                                     the pool
// others_  callers on other streams        anybody    release / acquire
class blocked_count {
public:
    void add(int change, bool by_owner) noexcept {
        if (by_owner) LAZULT_LIKELY {
            // release pairs with: get(), load of owners_
            owners_.store(owners_.load(std::memory_order_relaxed) + change,
                          std::memory_order_release);
        } else {
            // pairs with: get(), load of others_
            others_.fetch_add(change, std::memory_order_release);
        }
    }
    // Returns the number. It is exact for the owner, and for every thread while no unit begins or
    // ends to wait. Otherwise it is an estimate: if units begin and end to wait between the two
    // loads of others_, their changes may cancel out, and the result misses a unit that waited all
    // the time.
    int get() const noexcept {
        // pairs with: add(), fetch_add of others_
        int others = others_.load(std::memory_order_acquire);
        for (;;) {
            const int owners =
                owners_.load(std::memory_order_acquire);  // pairs with: add(), store of owners_
            const int again =
                others_.load(std::memory_order_acquire);  // pairs with: add(), fetch_add of others_
            if (again == others) {
                return owners + others;
            }
            others = again;
        }
    }

private:
    ds::default_atomics::atomic<int> owners_{0};
    ds::default_atomics::atomic<int> others_{0};
};

// What the door keeps for each pool; core::pool::makers_word() points to it.
//
// field        written by                      read by              order
// data         the user                        the user             the user's duty
// schedulers   creators, freers of schedulers  anybody              acquire / release: the last one
//                                                                   frees an automatic pool
// blocked      units that wait                 schedulers, queries  see blocked_count
// the others   the creator, before the handle is given out
struct pool_part {
    int id = 0;
    ABT_pool_access access = ABT_POOL_ACCESS_MPMC;
    bool is_automatic = false;
    bool is_users = false;
    bool is_shared = false;  // its queue needs a queue node for each unit
    void* data = nullptr;
    ds::default_atomics::atomic<int> schedulers{0};
    blocked_count blocked;
};

inline pool_part& part_of(const core::pool& p) noexcept {
    return *static_cast<pool_part*>(p.makers_word());
}

// Gives the unit what it needs to be in the pool. Returns false when memory is exhausted.
inline bool provide_for(const core::pool& p, work_unit& u) noexcept {
    return !part_of(p).is_shared || u.node != nullptr || sched::provide_node(u);
}

}  // namespace lazult::abt
