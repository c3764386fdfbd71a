// SPDX-License-Identifier: BSD-3-Clause
// The values that clients put: each of its words follows from the key and a number, the stamp,
// which is the first word.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/ioservice/block.hpp"

namespace ioservice {

// Of one to most_blocks blocks, of which the last is not quite full.
value sample_value(key_type key, std::uint64_t stamp, std::uint64_t most_blocks);

// The stamp; nothing: some byte is wrong.
std::optional<std::uint64_t> stamp_of(const value& what, key_type key);

}  // namespace ioservice
