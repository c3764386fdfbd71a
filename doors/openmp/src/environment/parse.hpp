// SPDX-License-Identifier: BSD-3-Clause
// Parses texts of environment variables. Blanks around each part are ignored, and so is case.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "environment/icv.hpp"

namespace lazult::omp {

std::string_view trimmed(std::string_view text) noexcept;
bool equals(std::string_view text, std::string_view name) noexcept;
// Returns the parts between the separators, trimmed.
std::vector<std::string_view> split(std::string_view text, char separator);

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                          std::uint64_t most) noexcept;
std::optional<bool> parse_bool(std::string_view text) noexcept;
// Returns bytes. A number without a suffix (b, k, m or g) counts units of `unit` bytes.
std::optional<std::size_t> parse_size(std::string_view text, std::size_t unit) noexcept;
std::optional<std::vector<bind_policy>> parse_bind(std::string_view text);

}  // namespace lazult::omp
