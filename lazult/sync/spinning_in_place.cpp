// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/spinning_in_place.hpp"

#include "lazult/sched/sched.hpp"

namespace lazult::sync {
namespace {

// A unit spins for a fifth of LAZULT_IDLE_SPIN. After a suspension the loop spins for all of it.
constexpr int parts_in_place = 5;
constexpr int looks_per_check = 8;

}  // namespace

bool may_spin_in_place(const core::work_unit& self, urgency how) noexcept {
    const bool moves = how == urgency::beside && self.home->lets_units_move();
    if (moves || !sched::idler::has_company()) {
        return false;
    }
    core::worker& w = core::running_worker();
    return w.current == &self && !core::host::runs_own_code(w) && w.here->would_idle(w) &&
           base::current_settings().idle_spin >= parts_in_place;
}

bool spin_in_place(const claim_word<>& claim) noexcept {
    core::worker& w = core::running_worker();
    core::work_unit& self = *w.current;
    const std::int64_t end = os::now_ns() + base::current_settings().idle_spin / parts_in_place;
    do {
        for (int i = 0; i < looks_per_check; ++i) {
            if (claim.winner() >= claim_word<>::first_index) {
                return true;
            }
            ds::default_atomics::pause();
        }
        // would_idle() may call a user's pool, which may move this unit: so its worker is compared.
    } while (!core::has_demands(self) && w.here->would_idle(w) && &core::running_worker() == &w &&
             os::now_ns() < end);
    return false;
}

void make_up_for_suspension(core::work_unit& self) {
    self.clear(core::flag_joins_many);
    if (!core::has_demands(self)) LAZULT_LIKELY {
        return;
    }
    try {
        core::honour_requests(self);
    } catch (const core::exit_unwind& exit) {
        core::put_off(self, exit);
    }
}

}  // namespace lazult::sync
