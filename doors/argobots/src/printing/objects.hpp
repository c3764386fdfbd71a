// SPDX-License-Identifier: BSD-3-Clause
// Prints objects and settings, for debugging.
#pragma once

#include <cstdio>

#include "streams/xstream.hpp"

namespace lazult::abt {

void print_config(std::FILE* to) noexcept;
void print_pool(std::FILE* to, const sched::ready_pool& p, int indentation) noexcept;
void print_sched(std::FILE* to, const sched_object& s, int indentation) noexcept;
void print_xstream(std::FILE* to, const xstream_object& x) noexcept;
// Does not print the unit's stack.
void print_unit(std::FILE* to, work_unit& u, int indentation) noexcept;

}  // namespace lazult::abt
