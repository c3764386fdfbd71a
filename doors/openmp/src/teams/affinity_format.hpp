// SPDX-License-Identifier: BSD-3-Clause
// Formats texts about the calling thread, as OMP_AFFINITY_FORMAT says. A field is % with a letter
// or with {name}. Between these may be a 0, which fills numbers up with zeros, a dot, which puts
// the text to the right, and a width.
#pragma once

#include <string>
#include <string_view>

namespace lazult::omp {

// Returns the text for the caller. An empty format stands for the variable OMP_AFFINITY_FORMAT.
std::string formatted(std::string_view format);
void display_affinity(std::string_view format = {});

}  // namespace lazult::omp
