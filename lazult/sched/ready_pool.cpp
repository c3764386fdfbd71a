// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/ready_pool.hpp"

#include <new>

namespace lazult::sched {

bool provide_node(work_unit& u) noexcept {
    if (u.node != nullptr) {
        return true;
    }
    try {
        u.node = unit_nodes::take_node();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace lazult::sched
