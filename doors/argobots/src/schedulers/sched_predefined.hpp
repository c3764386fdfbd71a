// SPDX-License-Identifier: BSD-3-Clause
// The library's own schedulers: BASIC, PRIO, RANDWS and BASIC_WAIT.
#pragma once

#include "schedulers/sched.hpp"

namespace lazult::abt {

// Returns nullptr when memory is exhausted.
std::unique_ptr<sched::scheduler> make_predefined_scheduler(sched_object& s,
                                                            int event_frequency) noexcept;

}  // namespace lazult::abt
