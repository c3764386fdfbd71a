// SPDX-License-Identifier: BSD-3-Clause
// Units: what door.hpp does not say of them.
#pragma once

#include "door.hpp"

namespace lazult::abt {

// Gives the tables back that lead from users' units to threads. When no unit is left: by
// ABT_finalize.
void clear_units() noexcept;

}  // namespace lazult::abt
