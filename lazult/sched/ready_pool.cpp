// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

ready_pool::~ready_pool() {
    core::await_pushers(*this);
    if (loan_count* const its = loans(); its != nullptr) {
        its->is_used.store(false, std::memory_order_relaxed);  // see the table of loan_count
    }
}

bool provide_node(work_unit& u) noexcept {
    return u.node != nullptr || base::has_memory_for([&u] { u.node = unit_nodes::take_node(); });
}

}  // namespace lazult::sched
