// SPDX-License-Identifier: BSD-3-Clause
// What is noted when a unit suspends for the first time.
#pragma once

#include "lazult/core/observe/trace.hpp"

namespace lazult::core {

// Called where units stay that have begun (worker::stay_pool), for a unit that runs here or stands
// below the running one. Makes the stream's own pool the home of a unit that would else be stolen,
// or woken elsewhere. Does nothing under a scheduler that does not serve that pool.
LAZULT_COLD void stay_here(worker& w, work_unit& u) noexcept;

// For a unit that is observed or a sample; for one that may not suspend: then the process ends; and
// where units stay that have begun.
LAZULT_COLD void note_rare_suspension(worker& w, work_unit& self, suspension_reason why);
LAZULT_ALWAYS_INLINE void note_suspension(worker& w, work_unit& self) noexcept {
    self.set(flag_suspended);
    self.header.headroom_class = unit_header::no_headroom;
    w.count.promoted[static_cast<int>(self.header.plan)].increment();
}
LAZULT_ALWAYS_INLINE void note_first_suspension(worker& w, work_unit& self, suspension_reason why) {
    const bool is_told =
        (self.notes.load(std::memory_order_relaxed) & (is_observed | is_sample)) != 0;
    if (is_told || !self.may_suspend() || w.stay_pool != nullptr) LAZULT_UNLIKELY {
        note_rare_suspension(w, self, why);
    } else {
        note_suspension(w, self);
    }
}

}  // namespace lazult::core
