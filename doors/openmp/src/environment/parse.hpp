// SPDX-License-Identifier: BSD-3-Clause
// Texts of environment variables, as values. Blanks around each part are nothing, and case does not
// matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "environment/icv.hpp"

namespace lazult::omp {

std::string_view trimmed(std::string_view text) noexcept;
bool equals(std::string_view text, std::string_view name) noexcept;
// What stands before the separator, which the text loses with it; the last part leaves an empty
// text and false.
std::vector<std::string_view> split(std::string_view text, char separator);

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                          std::uint64_t most) noexcept;
std::optional<bool> parse_bool(std::string_view text) noexcept;
// In bytes; without a suffix it is a number of units of so many bytes.
std::optional<std::size_t> parse_size(std::string_view text, std::size_t unit) noexcept;
std::optional<std::vector<bind_policy>> parse_bind(std::string_view text);

}  // namespace lazult::omp
