// SPDX-License-Identifier: BSD-3-Clause
// Schedulers with a loop that the user wrote. The loop makes every decision: a unit that it runs
// gives control back to it when the unit gives way.
#pragma once

#include "schedulers/sched.hpp"

namespace lazult::abt {

// Returns nullptr when memory is exhausted.
std::unique_ptr<sched::scheduler> make_users_scheduler(sched_object& s, bool is_stateless) noexcept;

// Returns the scheduler that runs if the caller is in the own code of a user's scheduler, else
// nullptr.
sched_object* running_users_sched(const caller& me) noexcept;
// Yields the processor to another OS thread if a user's scheduler has run no unit since its last
// call.
void rest_if_idle(sched_object& s, worker& w) noexcept;

// Runs a unit that the caller has popped, as the caller's child. In a user's scheduler's own code,
// it also calls look_around() (sched_user.cpp).
void run_child(const caller& me, work_unit& u);

}  // namespace lazult::abt
