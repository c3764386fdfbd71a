// SPDX-License-Identifier: BSD-3-Clause
// One repetition in a process of its own: this program again, which prints the sample.
#pragma once

#include <string>
#include <vector>

#include "tools/lazult/bench/measure.hpp"
#include "tools/lazult/child_process.hpp"

namespace lazult::tool {

inline constexpr const char* isolated_flag = "--isolated-sample";

sample sample_in_fresh_process(const std::vector<std::string>& arguments,
                               const variable_list& environment = {});
// By that process.
void print_sample(const sample& taken);

}  // namespace lazult::tool
