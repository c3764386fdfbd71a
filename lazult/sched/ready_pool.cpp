// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

bool provide_node(work_unit& u) noexcept {
    return u.node != nullptr || base::has_memory_for([&u] { u.node = unit_nodes::take_node(); });
}

}  // namespace lazult::sched
