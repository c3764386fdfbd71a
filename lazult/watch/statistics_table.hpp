// SPDX-License-Identifier: BSD-3-Clause
// The counters of all OS threads, as a table or as JSON.
#pragma once

#include <cstdio>

namespace lazult::watch {

void write_statistics(std::FILE* file, bool as_json) noexcept;

}  // namespace lazult::watch
