// SPDX-License-Identifier: BSD-3-Clause
// Environment variables that begin with LAZULT_ and that nobody reads: misspelt settings, most of
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lazult::base {

// Whether the library, a door, the command or a test reads a variable of this name.
bool is_known_variable(std::string_view name) noexcept;

// One text for each unknown variable of an environment ("NAME=VALUE", nullptr at its end), which
// names the nearest setting.
std::vector<std::string> describe_unknown_variables(const char* const* environment);

// Prints them as warnings. A program with more rights than its caller prints nothing, because it
// must not repeat the caller's environment.
void warn_of_unknown_variables();

}  // namespace lazult::base
