// SPDX-License-Identifier: BSD-3-Clause
// How deep ULTs went on their stacks, for each entry function, as a table or as JSON.
#pragma once

#include <cstdio>

namespace lazult::watch {

void write_stack_use(std::FILE* file, bool as_json) noexcept;

}  // namespace lazult::watch
