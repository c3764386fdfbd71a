// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "runtime/refusing.hpp"

namespace lazult::abt {

// Whether refuse() prints. By ABT_init.
void print_refusals(bool wanted) noexcept;
bool refusals_are_printed() noexcept;

}  // namespace lazult::abt
