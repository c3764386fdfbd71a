// SPDX-License-Identifier: BSD-3-Clause
// lazult bench --compare A.json B.json
#pragma once

#include <string>

namespace lazult::tool {

// Prints what is in both files, with B's median over A's. Throws usage_error where a file cannot be
// read, or does not hold what `lazult bench --json` writes.
void compare_results(const std::string& a_file, const std::string& b_file);

}  // namespace lazult::tool
