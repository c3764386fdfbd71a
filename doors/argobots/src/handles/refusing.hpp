// SPDX-License-Identifier: BSD-3-Clause
// How a function of the interface returns an error code: it may print the code first.
#pragma once

#include <abt.h>

#include <string_view>

#include "lazult/base/base.hpp"

namespace lazult::abt {

// Returns `code`. Prints "function: name of the code" to stderr if print_refusals() switched that
// on.
LAZULT_COLD int refuse(int code, const char* function) noexcept;

// Returns `code`, for a function of the interface to return in turn. Prints it if it is an error.
inline int result(int code, const char* function) noexcept {
    return code == ABT_SUCCESS ? code : refuse(code, function);
}

// Translates a status of the core into a code. `otherwise` is the code for a status that means "not
// with this handle" or "not now".
int to_code(base::status s, int otherwise) noexcept;

// Sets whether refuse() prints. ABT_init passes the setting ABT_PRINT_ERRNO.
void print_refusals(bool wanted) noexcept;
bool refusals_are_printed() noexcept;

// Returns the name of a code, or an empty string if there is no such code.
std::string_view name_of_code(int code) noexcept;

}  // namespace lazult::abt

// Returns the error code from the function that contains this macro, unless the condition holds.
#define ABT_GIVE_UP_UNLESS(condition, code)                 \
    if (!(condition)) LAZULT_UNLIKELY {                     \
            return ::lazult::abt::refuse((code), __func__); \
        }                                                   \
    static_assert(true, "for a semicolon")
