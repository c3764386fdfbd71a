// SPDX-License-Identifier: BSD-3-Clause
// What is noted when a unit suspends for the first time.
#pragma once

#include "lazult/core/observe/trace.hpp"

namespace lazult::core {

// Called where units stay that have begun (worker::stay_pool), for a unit that runs here or stands
// below the running one. Makes the stream's own pool the home of a unit that would else be stolen,
// or woken elsewhere. Does nothing under a scheduler that does not serve that pool.
LAZULT_COLD void stay_here(worker& w, work_unit& u) noexcept;

// For a sample; for a unit that may not suspend: then the process ends; and where units stay that
// have begun.
LAZULT_COLD void note_rare_suspension(worker& w, work_unit& self);
// For a unit that is watched or traced.
LAZULT_COLD void note_observed_suspension(worker& w, work_unit& self, suspension_reason why);
template <class Tell>
LAZULT_ALWAYS_INLINE void tell_if_traced(const work_unit& self, Tell tell) {
    if (is_traced_unit(self)) LAZULT_UNLIKELY {
        tell();
    }
}
LAZULT_ALWAYS_INLINE void note_suspension(worker& w, work_unit& self) noexcept {
    self.set(flag_suspended);
    self.header.headroom_class = unit_header::no_headroom;
    w.count.promoted[static_cast<int>(self.header.plan)].increment();
}
// For a suspension of which a trace does not say what it is for.
struct untold {
    void operator()() const noexcept {}
};
// `tell()` is called for a traced unit. It records what the unit waits for (trace_wait()).
template <class Tell = untold>
LAZULT_ALWAYS_INLINE void note_first_suspension(worker& w, work_unit& self, suspension_reason why,
                                                Tell tell = {}) {
    const std::uint32_t notes = self.notes.load(std::memory_order_relaxed);
    const bool is_told = (notes & (is_observed | is_sample)) != 0;
    if (is_told || !self.may_suspend() || w.stay_pool != nullptr) LAZULT_UNLIKELY {
        if ((notes & is_observed) != 0) LAZULT_UNLIKELY {
            tell_if_traced(self, tell);
            note_observed_suspension(w, self, why);
        } else {
            note_rare_suspension(w, self);
        }
    } else {
        note_suspension(w, self);
    }
}

}  // namespace lazult::core
