// SPDX-License-Identifier: BSD-3-Clause
// Schedulers with a loop of the user's. Every decision is that loop's: a unit under it that gives
// way comes back to it.
#pragma once

#include "schedulers/sched.hpp"

namespace lazult::abt {

// nullptr: out of memory.
std::unique_ptr<sched::scheduler> make_users_scheduler(sched_object& s, bool is_stateless) noexcept;

// In a user's scheduler's own code: the scheduler that runs, or nullptr.
sched_object* running_users_sched(const caller& me) noexcept;
// By a user's scheduler now and then: lets another OS thread on the processor if it has not run
// anything since.
void rest_if_idle(sched_object& s, worker& w) noexcept;

// Runs a unit that the caller holds, as its child. In a user's scheduler's own code its pools bring
// in, now and then, what others pushed.
void run_child(const caller& me, work_unit& u);

}  // namespace lazult::abt
