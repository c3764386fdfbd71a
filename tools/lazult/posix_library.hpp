// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace lazult::tool {

// Preloads liblazult-posix into the program that is executed next. `program` as in a shell. Throws
// usage_error.
void export_posix(const std::string& program);

}  // namespace lazult::tool
