// SPDX-License-Identifier: BSD-3-Clause
// Schedulers that run as work units, stacked upon another scheduler.
#pragma once

#include "lazult/sched/scheduler.hpp"

namespace lazult::sched {

struct stacked_options {
    core::unit_attributes attributes = core::unit_attributes(technique::full);
    scheduler::stop_request request = scheduler::stop_when_empty;
    bool detached = false;  // nobody joins the unit: its end frees it
    bool hears_of_release =
        true;  // released() is called when the unit is freed; the scheduler lives until then
};

// Runs a scheduler as a work unit, which is pushed to `into`. When the unit is scheduled, the
// scheduler takes charge of that stream. It ends when its pools are empty, or as request_stop()
// says. Join the unit to wait for that. not_supported: may_leave_kept().
base::status push_scheduler(scheduler& stacked, core::pool& into, work_unit** unit);
base::status push_scheduler(scheduler& stacked, core::pool& into, const stacked_options& options,
                            work_unit** unit) noexcept;

// Returns whether the scheduler, as a unit of that pool, might move to another stream, and has a
// pool with units that stay where they began.
bool may_leave_kept(const scheduler& stacked, const core::pool& into) noexcept;

}  // namespace lazult::sched
