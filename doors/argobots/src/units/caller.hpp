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

enum class caller_kind : std::uint8_t {
    ult,  // a stacked scheduler too
    tasklet,
    main_scheduler,  // its own code: may block as an OS thread does, but is no unit of any pool
    outside          // an external thread, or a unit of another door
};

// Valid until the caller suspends.
struct caller {
    worker* w = nullptr;        // nullptr on a thread that the runtime has not met
    work_unit* unit = nullptr;  // nullptr when outside
    caller_kind what = caller_kind::outside;

    bool is_outside() const noexcept { return what == caller_kind::outside; }
    bool is_tasklet() const noexcept { return what == caller_kind::tasklet; }
    bool is_ult() const noexcept { return what == caller_kind::ult; }  // and may suspend
    bool is_main_scheduler() const noexcept { return what == caller_kind::main_scheduler; }
};

inline caller this_caller() noexcept {
    worker* w = core::this_worker_or_null();
    if (w == nullptr || w->current == nullptr) {
        return {w, nullptr, caller_kind::outside};
    }
    work_unit* u = w->current;
    const std::uint16_t bits = bits_of(*u);
    if ((bits & (abt_unit | abt_main_scheduler)) == abt_unit) LAZULT_LIKELY {
        return {w, u, is_tasklet(*u) ? caller_kind::tasklet : caller_kind::ult};
    }
    return (bits & abt_unit) == 0 ? caller{w, nullptr, caller_kind::outside}
                                  : caller{w, u, caller_kind::main_scheduler};
}

}  // namespace lazult::abt
