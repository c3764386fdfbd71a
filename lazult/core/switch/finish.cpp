// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/finish.hpp"

#include <utility>

#include "lazult/core/switch/cancellation_mask.hpp"
#include "lazult/core/switch/host.hpp"
#include "lazult/core/switch/ready.hpp"
#include "lazult/core/unit/door_hooks.hpp"

namespace lazult::core {
namespace {

constinit door_hooks<unit_data_hook> unit_data_hooks;

// Returns whether the finisher's stream may run the joiner next, without its pool. It may not if
// the loop is due, because a unit that creates and joins for ever must not keep events and other
// pools from their turn.
bool runs_here(const worker& w, const work_unit& joiner, const pool* home) noexcept {
    if (w.here == nullptr || joiner.context == nullptr || joiner.has(flag_joins_many) ||
        w.here->spend()) {
        return false;
    }
    if (joiner.home->is_private_to(&w)) LAZULT_LIKELY {
        return true;
    }
    // The ended unit ran here, but its home may have changed since, to a pool of other hosts.
    return joiner.home == home ? w.here->serves(w, *home) : joiner.home->serves(w);
}

// Returns the unit if this stream is to run it next. Otherwise makes it ready and returns null.
work_unit* run_or_push(worker& w, work_unit* u, const pool* home) noexcept {
    if (u == nullptr) {
        return nullptr;
    }
    if (runs_here(w, *u, home)) {
        // The unit's pool was read. It may be destroyed when the unit ends.
        // pairs with: suspend.cpp, give_up()
        probe::release(u);
        return u;
    }
    if (u->has(flag_joins_many)) {
        make_ready_last(&w, u);
    } else {
        make_ready(&w, u);
    }
    return nullptr;
}

// Returns the unit in which destructors of an ended unit seem to run: the stream's scheduler, if
// that may not suspend, otherwise none. So destructors cannot suspend.
work_unit* stand_in_for_ended(const worker& w) noexcept {
    work_unit* const scheduler = w.here == nullptr ? nullptr : w.here->self_unit();
    const bool stays =
        scheduler != nullptr && scheduler->has(flag_tasklet) && !w.here->is_stacked();
    return stays ? scheduler : nullptr;
}

// Frees a detached unit at its end. Its stack may belong to the next unit by now, so destructors
// must not suspend the ended unit.
LAZULT_NOINLINE void dispose_at_end(worker& w, work_unit* finished) noexcept {
    if (w.current != finished) {
        dispose(w, finished);
        return;
    }
    w.current = stand_in_for_ended(w);
    dispose(w, finished);
    w.current = finished;
}

}  // namespace

bool register_unit_data(std::uint16_t user_bits, unit_data_hook hook) noexcept {
    return unit_data_hooks.add(user_bits, hook);
}

LAZULT_NOINLINE work_unit* wake_joiner(worker& w, join_word<>::value waiter, work_unit* finished,
                                       pool* home) noexcept {
    if (waiter == join_word<>::detached) {
        dispose_at_end(w, finished);
        return nullptr;
    }
    if (join_word<>::is_unit(waiter)) LAZULT_LIKELY {
        return run_or_push(w, reinterpret_cast<work_unit*>(waiter), home);
    }
    probe::acquire(&finished->join);
    auto* record = reinterpret_cast<completion*>(waiter & ~completion::tag);
    work_unit* const joiner = record->notify(record, w);
    return joiner != nullptr && joiner->wait.resume() ? run_or_push(w, joiner, home) : nullptr;
}

LAZULT_COLD void note_exit(const exit_unwind& exit) noexcept {
    if (work_unit* next = exit.successor(); next != nullptr) {
        worker& w = running_worker();
        w.here->run_first(w, next);
    }
}

LAZULT_COLD void forget_forced_unwind() noexcept { running_worker().exceptions->caught = nullptr; }

LAZULT_COLD void dispose_slowly(worker* w, work_unit* u) noexcept {
    // relaxed: the unit is finished and joined, which ordered everything
    if (unit_extras* extras = u->extras.load(std::memory_order_relaxed); extras != nullptr) {
        delete extras;
        u->extras.store(nullptr, std::memory_order_relaxed);
    }
    const std::uint32_t owned = u->notes.load(std::memory_order_relaxed);
    if ((owned & owns_door) != 0) {
        const cancellation_mask here;  // hooks may suspend the caller, and must not be unwound
        unit_data_hooks.for_each(*u, [=](unit_data_hook hook) { hook(w, u); });
    }
    worker* now = this_worker_or_null();
    if ((owned & owns_stack) != 0 && u->stk != nullptr) {  // technique `full`, never started
        stack_cache::release(std::exchange(u->stk, nullptr),
                             now == nullptr ? nullptr : &now->stacks);
    }
    if ((owned & stands_for_host) != 0) {
        static_cast<host*>(u->argument)->released();
        now = this_worker_or_null();
    }
    descriptor_cache::release(u, now == nullptr ? nullptr : &now->descriptors);
}

}  // namespace lazult::core
