// SPDX-License-Identifier: BSD-3-Clause
// Units do what was asked of them (requests.hpp): at their scheduling points, and before they
// start.
#pragma once

#include "lazult/core/switch/requests.hpp"

namespace lazult::core {

// The running unit honours its requests. May not return: exit_unwind.
void honour_requests(work_unit& self);
// A unit that is about to start honours its requests.
start_verdict may_start(work_unit& u) noexcept;

// A door that keeps something for each unit in a pool is asked before a unit that bears one of
// these user_bits gets another home by request. False: it stays where it is, and the request too.
// For the process's life; false when there are too many.
using rehoming_hook = bool (*)(work_unit& u, pool& target) noexcept;
bool register_rehoming(std::uint16_t user_bits, rehoming_hook hook) noexcept;

// After a change of its home pool: continues the running unit there.
void leave_for_home();

}  // namespace lazult::core
