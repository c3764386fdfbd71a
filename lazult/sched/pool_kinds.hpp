// SPDX-License-Identifier: BSD-3-Clause
// The kinds of pools that users can make, each with its name. A new kind has its row in
// pool_kinds.cpp, and needs nothing else: users ask for it by that name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

struct pool_kind_row {
    std::string_view name;          // as the pool's kind() says it
    ready_pool* (*make)();          // throws std::bad_alloc
    ready_pool* (*make_to_keep)();  // its units stay where they began; throws the same
    bool is_lent;                   // make() makes a lendable pool if there are spare streams
};

std::span<const pool_kind_row> pool_kinds() noexcept;

// A new pool, which the caller owns; nullptr: no kind has this name. `started` says whether units
// stay on the stream where they began; without it LAZULT_STARTED says so. Throws std::bad_alloc.
ready_pool* make_pool(std::string_view kind, std::optional<base::started_kind> started = {});

}  // namespace lazult::sched
