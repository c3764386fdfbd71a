// SPDX-License-Identifier: BSD-3-Clause
// Parses texts that name places. Processors that are not in `allowed` are left out.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "environment/icv.hpp"

namespace lazult::omp {

// Parses OMP_PLACES, for example {0:4}:2:4, !{3} or cores(2): see OpenMP, section 6.5.
std::optional<std::vector<place>> parse_places(std::string_view text,
                                               const std::vector<int>& allowed);
// Parses GOMP_CPU_AFFINITY, for example 0-3 5 7-11:2.
std::optional<std::vector<place>> parse_cpu_list(std::string_view text,
                                                 const std::vector<int>& allowed);

}  // namespace lazult::omp
