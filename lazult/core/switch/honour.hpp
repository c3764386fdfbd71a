// SPDX-License-Identifier: BSD-3-Clause
// Units honour requests (requests.hpp) before they start, and at their scheduling points.
#pragma once

#include "lazult/core/switch/requests.hpp"

namespace lazult::core {

// The running unit honours its requests. Throws exit_unwind if one of them is a cancellation.
void honour_requests(work_unit& self);
// Honours the requests of a unit that is about to start. Returns whether the unit starts here.
start_verdict may_start(work_unit& u) noexcept;

// A function of a door that keeps data for units in pools. It is called before a unit with one of
// these user_bits gets another home by request. If it returns false, the unit and the request stay.
// register_rehoming() registers it for the process's life, and returns false if there are too many.
using rehoming_hook = bool (*)(work_unit& u, pool& target) noexcept;
bool register_rehoming(std::uint16_t user_bits, rehoming_hook hook) noexcept;

// Continues the running unit in its new home pool.
void leave_for_home();

}  // namespace lazult::core
