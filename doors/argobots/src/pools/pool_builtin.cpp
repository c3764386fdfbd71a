// SPDX-License-Identifier: BSD-3-Clause
#include "pools/pool_builtin.hpp"

namespace lazult::abt {

bool stealing_pool::remove(work_unit* wanted) noexcept {
    worker& w = core::this_worker();
    core::unit_fifo others;
    bool found = false;
    for (std::size_t left = size(); left != 0 && !found; --left) {
        work_unit* const u = pop(w);
        found = u == wanted;
        if (u != nullptr && !found) {
            others.push_back(u);
        } else if (u == nullptr && maybe_has_work(w)) {
            os::yield_thread();  // a thief holds a unit for a few instructions
        }
    }
    while (!others.empty()) {
        push_yielded(&w, others.pop_front());
    }
    return found;
}

}  // namespace lazult::abt
