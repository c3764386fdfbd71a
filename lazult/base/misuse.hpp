// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lazult/base/config.hpp"
#include "lazult/base/status.hpp"

#include <string>
#include <string_view>

namespace lazult::base {

struct misuse {
    status code = status::ok;
    std::string message;
};

// Returns "lazult: <object>: <cause>; <cure>".
std::string describe_misuse(std::string_view object, std::string_view cause, std::string_view cure);

// Writes the line that describe_misuse() returns to stderr. Allocates nothing.
LAZULT_COLD void report_misuse(std::string_view object, std::string_view cause,
                               std::string_view cure) noexcept;

// Does what report_misuse() does, and then calls abort(). It may run on a nearly full ULT stack, so
// it neither allocates nor copies the text: the pieces go out in one writev.
[[noreturn]] LAZULT_COLD void fatal_misuse(std::string_view object, std::string_view cause,
                                           std::string_view cure) noexcept;

// Writes one line to stderr: "lazult: warning: <message>".
LAZULT_COLD void warn(std::string_view message) noexcept;

[[noreturn]] LAZULT_COLD void assertion_failed(const char* condition, const char* file,
                                               int line) noexcept;

}  // namespace lazult::base

#if LAZULT_ASSERTIONS
#define LAZULT_ASSERT(condition)        \
    ((condition) ? static_cast<void>(0) \
                 : ::lazult::base::assertion_failed(#condition, __FILE__, __LINE__))
#else
// The condition is not evaluated, but a variable that only an assertion reads counts as used.
#define LAZULT_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
