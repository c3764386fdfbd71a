// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/waiter.hpp"

#include <string>

namespace lazult::sync {

void suspend_uncanceled(core::entry_function after, void* argument, core::work_unit* self) {
    probe::release(argument);  // pairs with: whatever `after` does first
    try {
        core::suspend(after, argument);
    } catch (const core::exit_unwind&) {
        core::cancel(*self);
    }
}

void cancellation_point(core::work_unit* self) {
    if (self != nullptr && core::has_requests(*self)) LAZULT_UNLIKELY {
        core::honour_requests(*self);
    }
}

LAZULT_COLD void refuse_to_wait(const char* object, const char* alternative) noexcept {
    base::fatal_misuse(object, "a tasklet, a run_to_completion unit or a scheduler would have to wait for it, and has no context to keep",
                       alternative);
}

}  // namespace lazult::sync
