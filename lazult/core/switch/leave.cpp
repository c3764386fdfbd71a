// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/leave.hpp"

#include "lazult/core/unit/short_spin.hpp"

namespace lazult::core {

LAZULT_COLD arch::context work_unit::await_context(const work_unit& u) noexcept {
    short_spin spin;
    while (!u.has_left()) {
        spin.pause();
    }
    return u.context;
}

LAZULT_COLD void leave_by_loop(worker& w, work_unit* self, work_unit* next, entry_function after,
                               void* argument) {
    w.here->switch_to_loop(w, self, next, after, argument);
}

}  // namespace lazult::core
