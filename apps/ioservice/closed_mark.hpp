// SPDX-License-Identifier: BSD-3-Clause
// The file that tells a store that was closed from one that has crashed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/ioservice/shard.hpp"

namespace ioservice {

using closed_mark = std::vector<closed_file>;

std::optional<closed_mark> read_mark(const std::string& folder, std::size_t files);
void write_mark(const std::string& folder, const closed_mark& mark);
void remove_mark(const std::string& folder);

}  // namespace ioservice
