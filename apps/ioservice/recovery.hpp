// SPDX-License-Identifier: BSD-3-Clause
// What a file of blocks holds when a store opens it.
//
// A put writes its blocks to free places, and only then erases those of the old value. So after a
// crash each key has its old or its new value, and perhaps some blocks of an unfinished put. They
// are dropped. A store that was closed has no such blocks, so there they mean damage.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "apps/ioservice/block_file.hpp"

namespace ioservice {

struct stored_value {
    std::uint64_t version = 0;
    std::uint64_t bytes = 0;
    std::vector<place> places;
};

using value_index = std::unordered_map<key_type, stored_value>;

struct contents {
    value_index index;
    std::vector<place> free;
    place end = 0;  // no block stands here or behind
    std::uint64_t last_version = 0;
    std::uint64_t dropped = 0;  // blocks
};

// Erases what it drops. Throws std::runtime_error where was_closed and a block is damaged.
contents recover(block_file& file, bool was_closed);

}  // namespace ioservice
