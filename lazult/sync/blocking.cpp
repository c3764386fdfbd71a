// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/blocking.hpp"

#include <cstdio>

#include "lazult/sync/wait_description.hpp"

namespace lazult::sync {

namespace {

// Registers describe_waits() when the library is loaded, in every program that contains waits.
const bool announced [[maybe_unused]] = (watch::set_wait_describer(describe_waits), true);

}  // namespace

LAZULT_COLD caller blocking_caller(const core::worker& w) noexcept {
    core::work_unit* u = w.current;
    if (u == nullptr || (u->header.user_bits & core::unit_header::blocks_thread) == 0) {
        return {nullptr, false};
    }
    return {core::host::runs_own_code(w) && w.here->is_stacked() ? u : nullptr, true};
}

void suspend_uncanceled(core::entry_function after, void* argument, core::work_unit* self) {
    probe::release(argument);  // pairs with: whatever `after` does first
    if (core::worker& w = core::running_worker(); core::host::runs_own_code(w)) LAZULT_UNLIKELY {
        w.here->suspend_to_parent(after, argument);
        return;
    }
    try {
        core::suspend(after, argument);
    } catch (const core::exit_unwind& exit) {
        core::put_off(*self, exit);
    }
}

LAZULT_COLD void put_requests_off(core::work_unit& self) {
    try {
        core::honour_requests(self);
    } catch (const core::exit_unwind& exit) {
        core::put_off(self, exit);
    }
}

void yield_uncanceled(core::work_unit* self) {
    if (self != nullptr && core::has_demands(*self)) LAZULT_UNLIKELY {
        const auto get_in_line = [](void* u) {
            probe::acquire(u);  // pairs with: suspend_uncanceled()
            core::make_ready_last(core::this_worker_or_null(), static_cast<core::work_unit*>(u));
        };
        suspend_uncanceled(get_in_line, self, self);
        return;
    }
    try {
        core::yield();
    } catch (const core::exit_unwind& exit) {
        core::put_off(*self, exit);
    }
}

void cancellation_point(core::work_unit* self) {
    if (self != nullptr && core::has_requests(*self)) LAZULT_UNLIKELY {
        core::honour_requests(*self);
    }
}

LAZULT_COLD void refuse_to_wait(const char* object, const char* alternative) noexcept {
    base::fatal_misuse(object,
                       "a tasklet, a run_to_completion unit or a scheduler would have to wait for "
                       "it, and has no context to keep",
                       alternative);
}

LAZULT_COLD void refuse_unlock(const char* object, const void* where, const char* cause) noexcept {
    char name[64];
    std::snprintf(name, sizeof(name), "%s %p", object, where);
    base::fatal_misuse(name, cause, "unlock it once for each time that it was locked");
}

}  // namespace lazult::sync
