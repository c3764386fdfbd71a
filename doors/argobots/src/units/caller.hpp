// SPDX-License-Identifier: BSD-3-Clause
// What kind of caller a function of the interface has.
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

// Set by ABT_init, cleared by the last ABT_finalize (abi/init.cpp).
// field          written by              read by    order
// runtime_is_up  ABT_init, ABT_finalize  anybody    release / acquire
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<bool> runtime_is_up;

inline bool is_initialized() noexcept {
    // acquire pairs with: start() and stop(), stores of runtime_is_up
    return runtime_is_up.load(std::memory_order_acquire);
}

enum class flow : std::uint8_t {
    ult,  // a stacked scheduler too
    tasklet,
    main_scheduler,  // its own code: may block as an OS thread does, but is no unit of any pool
    outside          // an external thread, or a unit of another door
};

// Valid until the caller suspends.
struct caller {
    worker* w = nullptr;        // nullptr on a thread that the runtime has not met
    work_unit* unit = nullptr;  // nullptr when outside
    flow what = flow::outside;

    bool is_outside() const noexcept { return what == flow::outside; }
    bool is_tasklet() const noexcept { return what == flow::tasklet; }
    bool is_ult() const noexcept { return what == flow::ult; }  // and may suspend
    bool is_main_scheduler() const noexcept { return what == flow::main_scheduler; }
};

inline caller who() noexcept {
    worker* w = core::this_worker_or_null();
    if (w == nullptr || w->current == nullptr) {
        return {w, nullptr, flow::outside};
    }
    work_unit* u = w->current;
    const std::uint16_t bits = bits_of(*u);
    if ((bits & (abt_unit | abt_main_scheduler)) == abt_unit) LAZULT_LIKELY {
        return {w, u, is_tasklet(*u) ? flow::tasklet : flow::ult};
    }
    return (bits & abt_unit) == 0 ? caller{w, nullptr, flow::outside}
                                  : caller{w, u, flow::main_scheduler};
}

}  // namespace lazult::abt
