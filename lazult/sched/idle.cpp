// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/idle.hpp"

namespace lazult::sched {

lot& sleepers() {
    static auto* instance = new lot;
    return *instance;
}

idler::idler() : slot_(sleepers().take_slot()), spin_ns_(base::current_settings().idle_spin) {
    if (slot_ == lot::no_slot) {
        base::fatal_misuse("execution stream", "there are too many of them", "keep to 1024 streams in a process");
    }
}

idler::~idler() {
    sleepers().give_slot(slot_);
}

}  // namespace lazult::sched
