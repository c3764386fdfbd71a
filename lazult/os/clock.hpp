// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace lazult::os {

// Returns nanoseconds of CLOCK_MONOTONIC, the clock of futex deadlines too.
std::int64_t now_ns() noexcept;

}  // namespace lazult::os
