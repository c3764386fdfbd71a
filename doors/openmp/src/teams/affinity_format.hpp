// SPDX-License-Identifier: BSD-3-Clause
// The interface: texts that say which thread one is and where. Fields of a format are %t or
// %{name}, with a width between; a 0 before that fills numbers up with zeros, a dot puts them to
// the right.
#pragma once

#include <string>
#include <string_view>

namespace lazult::omp {

// Of the caller. An empty format stands for the one that OMP_AFFINITY_FORMAT says.
std::string formatted(std::string_view format);
void display_affinity(std::string_view format = {});

}  // namespace lazult::omp
