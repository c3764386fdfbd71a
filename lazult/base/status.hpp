// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lazult::base {

enum class status : int {
    ok,
    invalid_handle,
    invalid_argument,
    freed_handle,
    would_deadlock,
    cannot_suspend,
    out_of_memory,
    timed_out,
    already_joined,
    not_supported,
    closed,
    busy,
    canceled,
    shutting_down,
};

// Returns the name of a status. For a value outside the enumeration it returns "unknown status",
// because doors pass on numbers from C callers.
const char* name(status value) noexcept;

}  // namespace lazult::base
