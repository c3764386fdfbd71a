// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/idle.hpp"

namespace lazult::sched {

lot& sleepers() {
    static base::never_destroyed<lot> instance;
    return *instance;
}

idler::idler() noexcept : slot_(sleepers().take_slot()), spin_ns_(base::current_settings().idle_spin) {}

idler::~idler() {
    if (can_sleep()) {
        sleepers().give_slot(slot_);
    }
}

}  // namespace lazult::sched
