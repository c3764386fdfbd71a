// SPDX-License-Identifier: BSD-3-Clause
#include "threads/headroom.hpp"

#include "door.hpp"

namespace lazult::omp {

// Returns whether each task starts as a unit, by the technique that a setting names.
bool each_in_its_own_unit() noexcept {
    static const core::technique wanted = base::current_settings().technique;
    return wanted != core::technique::adaptive && wanted != core::technique::run_to_completion;
}

bool has_headroom() noexcept {
    if (each_in_its_own_unit()) LAZULT_UNLIKELY {
        return false;
    }
    const worker* w = core::this_worker_or_null();
    if (w == nullptr) {
        return true;
    }
    const core::stack* s = w->current != nullptr ? w->current->stk : &w->thread_stack;
    return s->headroom_below(lazult::arch::stack_position()) > least_headroom;
}

}  // namespace lazult::omp
