// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/requests.hpp"

#include <new>
#include <utility>

#include "lazult/core/worker/pool.hpp"

namespace lazult::core {
// Notes that a cancel request is being honoured.
void note_cancel(work_unit& u) noexcept {
    clear_request(u, request_cancel);
    u.asked.store(0, std::memory_order_relaxed);
    if (unit_extras* extras = extras_of(u); extras != nullptr) {
        extras->canceled = true;
    }
}

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
        u.notes.fetch_or(owns_extras, std::memory_order_relaxed);
    }
    return fresh;
}

base::status cancel(work_unit& u) noexcept {
    if (u.has(flag_host)) {
        return base::status::not_supported;
    }
    u.notes.fetch_or(request_cancel, std::memory_order_relaxed);
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
    // release pairs with: asked(), load of notes
    u.notes.fetch_or(request_migrate, std::memory_order_release);
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

LAZULT_COLD void let_go_of_home(unit_extras& joiner) noexcept {
    if (pool* const home = std::exchange(joiner.held_home, nullptr); home != nullptr) {
        home->count_waiting(-1);
    }
}

const char* exit_unwind::what() const noexcept { return "lazult: this ULT exits"; }

[[noreturn]] void exit_running() { throw exit_unwind{}; }

}  // namespace lazult::core
