// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>

#include "door.hpp"

namespace lazult::abt {

void print_config(std::FILE* to) noexcept;
// Without the unit's stack.
void print_unit(std::FILE* to, work_unit& u, int indentation) noexcept;

}  // namespace lazult::abt
