// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/worker/pool.hpp"

namespace lazult::core {

void push_guard::enter_unknown() noexcept {
    // relaxed: published with the unit that is pushed
    unknown_pushers().fetch_add(1, std::memory_order_relaxed);
}
void push_guard::leave_unknown() noexcept {
    unknown_pushers().fetch_sub(1, std::memory_order_release);  // pairs with: await_pushers(), load
}

// Waits without the registry's lock, because threads may come and go meanwhile. Workers stay, and a
// thread that comes later does not know the pool.
void await_pushers(const pool& p) noexcept {
    ds::default_atomics::heavy_barrier();  // pairs with: home_guard, light_barrier
    for (const worker* w = first_worker(); w != nullptr; w = w->next) {
        while (w->pushing.holds(&p)) {
            os::yield_thread();
        }
    }
    while (unknown_pushers().load(std::memory_order_acquire) != 0) {  // pairs with: leave_unknown()
        os::yield_thread();
    }
    probe::acquire(&p);
}

}  // namespace lazult::core
