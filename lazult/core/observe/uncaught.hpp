// SPDX-License-Identifier: BSD-3-Clause
// An exception that nobody catches ends the process: the report says which unit threw it.
#pragma once

#include <string_view>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

// From now on std::terminate() names the unit in which it is called, and what was thrown. Then the
// program's own handler runs, or the usual one. A handler that is set later replaces this one.
// Thread-safe; more calls do nothing.
void name_units_at_terminate() noexcept;

// For a caller that is about to call std::terminate() in a handler of the exception, and that knows
// which unit threw it. The report names that unit, and not the running one. The exception's text
// follows the cause.
void report_uncaught(std::string_view unit, std::string_view cause, std::string_view cure) noexcept;

}  // namespace lazult::core
