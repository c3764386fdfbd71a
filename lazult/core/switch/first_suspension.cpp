// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/first_suspension.hpp"

#include "lazult/core/observe/observer.hpp"
#include "lazult/core/worker/home_guard.hpp"

namespace lazult::core {

namespace {

LAZULT_COLD void refuse() noexcept {
    base::fatal_misuse(
        "tasklet",
        "it tried to suspend, and a tasklet or run_to_completion unit has no context to keep",
        "create it as a ULT of another technique, or use the operation's try_ form");
}

}  // namespace

// No other thread holds the unit.
LAZULT_COLD void stay_here(worker& w, work_unit& u) noexcept {
    if (u.home->lets_units_move() && w.here == w.stay_host) {
        u.join.open();
        set_present_home(u, *w.stay_pool);
    }
}

namespace {

void begin_rare_suspension(worker& w, work_unit& self) {
    if (!self.may_suspend()) {
        refuse();
    }
    if (w.stay_pool != nullptr) {
        stay_here(w, self);
    }
}

void count_first_suspension(worker& w, work_unit& self) noexcept {
    if ((self.notes.load(std::memory_order_relaxed) & is_sample) != 0) {
        creator_of(self).predict.note_first_suspension(self.entry);
    }
    note_suspension(w, self);
}

}  // namespace

LAZULT_COLD void note_rare_suspension(worker& w, work_unit& self) {
    begin_rare_suspension(w, self);
    count_first_suspension(w, self);
}

LAZULT_COLD void note_observed_suspension(worker& w, work_unit& self, suspension_reason why) {
    begin_rare_suspension(w, self);
    if (tell_suspension(self, why)) {
        count_first_suspension(w, self);
    }
}

}  // namespace lazult::core
