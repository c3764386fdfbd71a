// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/honour.hpp"

#include "lazult/core/observe/observer.hpp"
#include "lazult/core/switch/give_up.hpp"
#include "lazult/core/switch/local.hpp"
#include "lazult/core/unit/door_hooks.hpp"
#include "lazult/core/worker/home_guard.hpp"

namespace lazult::core {

namespace {

bool asked(const work_unit& u, request bit) noexcept {
    // acquire pairs with: migrate(), fetch_or of notes: the target pool
    return (u.notes.load(std::memory_order_acquire) & bit) != 0;
}

constinit door_hooks<rehoming_hook> rehoming_hooks;

bool is_allowed(work_unit& u, pool& target) noexcept {
    bool allowed = true;
    rehoming_hooks.for_each(u, [&](rehoming_hook hook) { allowed = hook(u, target) && allowed; });
    return allowed;
}

// If a ULT joins `u`, the ULT's pool counts it as waiting from now on. For joiners that wait by a
// record, doors do so. Returns false if memory is exhausted.
bool hold_home_of_joiner(const work_unit& u) noexcept {
    const join_word<>::value waiter = u.join.joiner();
    if (!join_word<>::is_unit(waiter)) LAZULT_LIKELY {
        return true;
    }
    auto& joiner = *reinterpret_cast<work_unit*>(waiter);
    unit_extras* const extras = extras_of(joiner);
    if (extras == nullptr) LAZULT_UNLIKELY {
        return false;
    }
    if (extras->held_home == nullptr) {
        extras->held_home = joiner.home;
        joiner.home->count_waiting(1);
    }
    return true;
}

// Moves the unit to the pool that was requested. Returns false, and the unit stays, if a door has
// refused or memory is exhausted.
bool move_home(work_unit& u) noexcept {
    // relaxed: the acquire of the request bit ordered it
    const unit_extras& extras = *extras_of(u);
    pool* target = extras.migration_target.load(std::memory_order_relaxed);
    probe::acquire(target);
    if (!hold_home_of_joiner(u)) LAZULT_UNLIKELY {
        return false;
    }
    if (!is_allowed(u, *target)) LAZULT_UNLIKELY {
        return false;
    }
    clear_request(u, request_migrate);
    u.join.open();  // the unit may end on another thread than the one it was confined to
    // atomic: a joiner elsewhere may be reading `home`, see open_from_elsewhere()
    set_present_home(u, *target);
    if (extras.migrated != nullptr) {
        extras.migrated(&u, extras.migrated_argument);
    }
    return true;
}

}  // namespace

bool register_rehoming(std::uint16_t user_bits, rehoming_hook hook) noexcept {
    return rehoming_hooks.add(user_bits, hook);
}

void leave_for_home() {
    worker& w = this_worker();
    work_unit* self = w.current;
    if (is_watched_unit(*self)) LAZULT_UNLIKELY {
        tell_departure(*self);
    }
    self->set_state(life_state::ready);
    give_up_to<suspension_reason::migrates>(w, self, nullptr, push_self, self);
    if (is_observed_unit(*self)) LAZULT_UNLIKELY {
        tell_run(*self);
    }
}

LAZULT_COLD void honour_requests(work_unit& self) {
    end_holding_home(self);
    if (is_observed_unit(self)) {
        tell_run(self);
    }
    if (asked(self, request_migrate) && move_home(self)) {
        leave_for_home();
    }
    if (asked(self, request_cancel) && may_unwind(self)) {
        unwind_canceled(self);
    }
}

LAZULT_COLD start_verdict may_start(work_unit& u) noexcept {
    if (asked(u, request_cancel)) {
        probe::acquire(&u);  // pairs with: launch(); run_entry() does it for units that run
        if (is_watched_unit(u)) {
            tell_cancellation(u);
        }
        note_cancel(u);
        if (unit_extras* extras = extras_of(u); extras != nullptr) {
            extras->never_began = true;
        }
        if (u.has(flag_locals)) {
            destroy_locals(u);
        }
        return start_verdict::cancelled;
    }
    if (asked(u, request_migrate) && move_home(u)) {
        return start_verdict::moved;
    }
    if (is_traced_unit(u)) {
        trace_start(u);
    }
    return start_verdict::starts;
}

}  // namespace lazult::core
