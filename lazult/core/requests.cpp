// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/requests.hpp"

#include <new>
#include <utility>

#include "lazult/core/door_hooks.hpp"
#include "lazult/core/home_guard.hpp"
#include "lazult/core/local.hpp"
#include "lazult/core/observer.hpp"
#include "lazult/core/pool.hpp"
#include "lazult/core/suspend.hpp"
#include "lazult/core/trace.hpp"
#include "lazult/core/worker.hpp"

namespace lazult::core {
namespace {

void clear(work_unit& u, request bit) noexcept {
    u.requests.fetch_and(~static_cast<std::uint32_t>(bit), std::memory_order_relaxed);
}

bool asked(const work_unit& u, request bit) noexcept {
    // acquire pairs with: migrate(), fetch_or of requests: the target pool
    return (u.requests.load(std::memory_order_acquire) & bit) != 0;
}

constinit door_hooks<rehoming_hook> rehoming_hooks;

bool is_allowed(work_unit& u, pool& target) noexcept {
    bool allowed = true;
    rehoming_hooks.for_each(u, [&](rehoming_hook hook) { allowed = hook(u, target) && allowed; });
    return allowed;
}

// If a unit waits for `u`, its pool counts it from now on. Doors count joiners that wait by a
// record. False: memory is exhausted.
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

// False, and the unit stays: a door refused, or memory is exhausted.
bool move_home(work_unit& u) noexcept {
    // relaxed: the bit's acquire ordered it
    const unit_extras& extras = *extras_of(u);
    pool* target = extras.migration_target.load(std::memory_order_relaxed);
    probe::acquire(target);
    if (!hold_home_of_joiner(u)) LAZULT_UNLIKELY {
        return false;
    }
    if (!is_allowed(u, *target)) LAZULT_UNLIKELY {
        return false;
    }
    clear(u, request_migrate);
    u.join.open();  // it may end on another thread than it was confined to
    // a joiner elsewhere may be reading it, see open_from_elsewhere()
    set_present_home(u, *target);
    if (extras.migrated != nullptr) {
        extras.migrated(&u, extras.migrated_argument);
    }
    return true;
}

// A cancel request is being honoured.
void note_cancel(work_unit& u) noexcept {
    clear(u, request_cancel);
    u.asked.store(0, std::memory_order_relaxed);
    if (unit_extras* extras = extras_of(u); extras != nullptr) {
        extras->canceled = true;
    }
}

}  // namespace

unit_extras* extras_of(work_unit& u) noexcept {
    // acquire pairs with: the exchange below
    unit_extras* present = u.extras.load(std::memory_order_acquire);
    if (present != nullptr) {
        return present;
    }
    auto* fresh = new (std::nothrow) unit_extras;
    // release pairs with: the loads of extras; acquire (failure): another thread's extras
    if (fresh != nullptr &&
        !u.extras.compare_exchange_strong(present, fresh, std::memory_order_acq_rel,
                                          std::memory_order_acquire)) {
        delete fresh;
        return present;
    }
    if (fresh != nullptr) {
        // read when the unit is finished and joined
        u.requests.fetch_or(owns_extras, std::memory_order_relaxed);
    }
    return fresh;
}

base::status cancel(work_unit& u) noexcept {
    if (u.has(flag_host)) {
        return base::status::not_supported;
    }
    u.requests.fetch_or(request_cancel, std::memory_order_relaxed);
    return base::status::ok;
}

void unwind_canceled(work_unit& self) {
    const bool ends_waits = self.asked.load(std::memory_order_relaxed) != 0;
    note_cancel(self);
    throw exit_unwind(nullptr, ends_waits);
}

void put_off(work_unit& self, const exit_unwind& exit) noexcept {
    forget_cancellation(self);
    cancel(self);
    if (exit.ends_waits()) {
        self.asked.store(1, std::memory_order_relaxed);
    }
}

bool was_canceled(const work_unit& u) noexcept {
    // acquire pairs with: extras_of(), compare_exchange of extras
    const unit_extras* extras = u.extras.load(std::memory_order_acquire);
    return extras != nullptr && extras->canceled;
}

bool was_canceled_at_once(const work_unit& u) noexcept {
    // acquire pairs with: extras_of(), compare_exchange of extras
    const unit_extras* extras = u.extras.load(std::memory_order_acquire);
    return extras != nullptr && extras->never_began;
}

void forget_cancellation(work_unit& u) noexcept {
    // acquire pairs with: extras_of(), compare_exchange of extras
    if (unit_extras* extras = u.extras.load(std::memory_order_acquire); extras != nullptr) {
        extras->canceled = false;
        extras->never_began = false;
    }
}

base::status migrate(work_unit& u, pool& target) noexcept {
    unit_extras* extras = extras_of(u);
    if (extras == nullptr) {
        return base::status::out_of_memory;
    }
    if (u.has(flag_host)) {
        return base::status::not_supported;
    }
    probe::release(&target);
    extras->migration_target.store(&target, std::memory_order_relaxed);
    // release pairs with: asked(), load of requests
    u.requests.fetch_or(request_migrate, std::memory_order_release);
    return base::status::ok;
}

base::status on_migration(work_unit& u, void (*callback)(work_unit*, void*),
                          void* argument) noexcept {
    unit_extras* extras = extras_of(u);
    if (extras == nullptr) {
        return base::status::out_of_memory;
    }
    extras->migrated_argument = argument;
    extras->migrated = callback;
    return base::status::ok;
}

bool register_rehoming(std::uint16_t user_bits, rehoming_hook hook) noexcept {
    return rehoming_hooks.add(user_bits, hook);
}

LAZULT_COLD void let_go_of_home(unit_extras& joiner) noexcept {
    if (pool* const home = std::exchange(joiner.held_home, nullptr); home != nullptr) {
        home->count_waiting(-1);
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
        probe::acquire(&u);  // pairs with: launch(); run_entry() does it for those that run
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

const char* exit_unwind::what() const noexcept { return "lazult: this ULT exits"; }

[[noreturn]] void exit_running() { throw exit_unwind{}; }

}  // namespace lazult::core
