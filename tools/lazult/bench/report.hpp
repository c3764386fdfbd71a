// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/lazult/bench/measure.hpp"

namespace lazult::tool {

void print_table(const std::vector<measurement>& results);
// "-" is the standard output.
void write_json(const std::vector<measurement>& results, const std::string& file);

}  // namespace lazult::tool
