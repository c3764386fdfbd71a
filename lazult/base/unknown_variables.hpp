// SPDX-License-Identifier: BSD-3-Clause
// Finds environment variables that look like settings but that nothing reads; most are misspelt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lazult::base {

// A name or a value of a variable as a warning may show it: one line of bounded length, whatever it
// holds.
std::string printable(std::string_view text);

// The variables of all registered settings.
using setting_variables = std::span<const std::string_view>;

// Returns true if the library, a door, the command or a test reads a variable of this name. Also
// true for variables of a known door that has registered no settings: it may not be loaded.
bool is_known_variable(std::string_view name, setting_variables settings) noexcept;

// Returns one text for each unknown variable in `environment` ("NAME=VALUE" strings, a nullptr at
// the end) that begins with `family`. The text names the most similar setting.
std::vector<std::string> describe_unknown_variables(const char* const* environment,
                                                    std::string_view family,
                                                    setting_variables settings);

}  // namespace lazult::base
