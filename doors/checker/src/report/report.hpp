// SPDX-License-Identifier: BSD-3-Clause
// What the user reads.
#pragma once

#include "units/history.hpp"

namespace lazult::checker {

// The process ends with this status if there were reports.
inline constexpr int status_of_findings = 66;

enum class access : std::uint8_t { read, write };

// Reports an access by the running ULT to another thread's storage, once for each place in the
// code. `code` is the return address of the compiler's call.
void report_access(const void* code, std::size_t size, access what, const finding& found) noexcept;

}  // namespace lazult::checker
