// SPDX-License-Identifier: BSD-3-Clause
// Environment variables that begin with LAZULT_ and that nobody reads: misspelt settings, most of
// them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lazult::base {

// The variables of the settings that there are.
using setting_variables = std::span<const std::string_view>;

// Whether the library, a door, the command or a test reads a variable of this name. The variables
// of a door that has registered no settings are left to that door.
bool is_known_variable(std::string_view name, setting_variables settings) noexcept;

// One text for each unknown variable of an environment ("NAME=VALUE", nullptr at its end) that
// begins with `family`. It names the nearest setting.
std::vector<std::string> describe_unknown_variables(const char* const* environment,
                                                    std::string_view family,
                                                    setting_variables settings);

}  // namespace lazult::base
