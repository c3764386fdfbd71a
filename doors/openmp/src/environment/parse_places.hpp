// SPDX-License-Identifier: BSD-3-Clause
// Texts that name places, as values.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "environment/icv.hpp"

namespace lazult::omp {

// {0:4}:2:4, !{3}, cores(2): see OpenMP, section 6.5.
std::optional<std::vector<place>> parse_places(std::string_view text,
                                               const std::vector<int>& allowed);
// 0-3 5 7-11:2
std::optional<std::vector<place>> parse_cpu_list(std::string_view text,
                                                 const std::vector<int>& allowed);

}  // namespace lazult::omp
