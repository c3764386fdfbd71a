// SPDX-License-Identifier: BSD-3-Clause
// Which kind of caller a function of the interface has.
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

// Whether the runtime of the door is up (abi/init.cpp).
// field          written by                   read by    order
// runtime_is_up  ABT_init, last ABT_finalize  anybody    release / acquire
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<bool> runtime_is_up;

inline bool is_initialized() noexcept {
    // acquire pairs with: start() and stop(), stores of runtime_is_up
    return runtime_is_up.load(std::memory_order_acquire);
}

enum class caller_kind : std::uint8_t {
    ult,  // a ULT, or a stacked scheduler's own code
    tasklet,
    main_scheduler,  // its own code; it may block its OS thread; its unit is never in a pool
    outside          // a thread that is no stream, or a unit of another door
};

// Describes the calling thread. It is valid until the caller suspends.
struct caller {
    worker* w = nullptr;  // the caller's worker; nullptr on a thread that the runtime has not met
    work_unit* unit = nullptr;  // the unit that runs; nullptr if `what` is outside
    caller_kind what = caller_kind::outside;

    bool is_outside() const noexcept { return what == caller_kind::outside; }
    bool is_tasklet() const noexcept { return what == caller_kind::tasklet; }
    bool is_ult() const noexcept { return what == caller_kind::ult; }
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
