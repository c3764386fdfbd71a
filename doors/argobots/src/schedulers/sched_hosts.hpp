// SPDX-License-Identifier: BSD-3-Clause
// The hosts behind schedulers of the door. All of them end by Argobots' rule.
#pragma once

#include "schedulers/sched.hpp"

namespace lazult::abt {

// nullptr: out of memory.
std::unique_ptr<sched::scheduler> make_predefined_host(sched_object& s,
                                                       int event_frequency) noexcept;
std::unique_ptr<sched::scheduler> make_users_host(sched_object& s, bool is_stateless) noexcept;

// The unit that stood for a stacked scheduler is gone.
void stacked_sched_ended(sched_object& s) noexcept;

// Called in a new main scheduler's own code, on its stream's worker `w`, before it runs anything.
// Completes the replacement: lets go of the old main scheduler and wakes the flow that asked.
void main_sched_took_over(worker& w) noexcept;

inline bool is_asked_to_exit(const sched_object& s) noexcept {
    // relaxed: a hint; has_to_stop() decides
    return (s.requests.load(std::memory_order_relaxed) & sched_exit) != 0;
}

}  // namespace lazult::abt
