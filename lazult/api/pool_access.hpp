// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <lazult/pool.hpp>

#include "lazult/sched/sched.hpp"

namespace lazult {

struct pool_access {
    // Returns a handle of a pool that belongs to a stream; the handle does not own it.
    static pool borrow(sched::ready_pool& p) noexcept { return {&p, false}; }
};

}  // namespace lazult
