// SPDX-License-Identifier: BSD-3-Clause
// How a function of the interface refuses.
#pragma once

#include <abt.h>

#include <string_view>

#include "lazult/base/base.hpp"

namespace lazult::abt {

// Returns the code. Prints "function: name of the code" to stderr when ABT_PRINT_ERRNO says so.
LAZULT_COLD int refuse(int code, const char* function) noexcept;

// What a function of the interface returns: the code, printed if it refuses.
inline int result(int code, const char* function) noexcept {
    return code == ABT_SUCCESS ? code : refuse(code, function);
}

// Of a status that the core returned. `otherwise` is for those that mean "not with this handle, or
// not now".
int to_code(base::status s, int otherwise) noexcept;

// Whether refuse() prints. By ABT_init.
void print_refusals(bool wanted) noexcept;
bool refusals_are_printed() noexcept;

// Empty where there is no such code.
std::string_view name_of_code(int code) noexcept;

}  // namespace lazult::abt

// The only macro: it returns from the function that it stands in, and names it.
#define ABT_GIVE_UP_UNLESS(condition, code)                 \
    if (!(condition)) LAZULT_UNLIKELY {                     \
            return ::lazult::abt::refuse((code), __func__); \
        }                                                   \
    static_assert(true, "for a semicolon")
