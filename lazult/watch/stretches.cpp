// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/stretches.hpp"

#include "lazult/watch/subjects.hpp"

namespace lazult::watch {
namespace {

// Reads a plain field that another thread writes, by one load. Any value that it had will do.
template <class T>
T glance(T& field) noexcept {
    return __atomic_load_n(&field, __ATOMIC_RELAXED);
}

}  // namespace

// Called under the registry's lock, so the worker stays, even if its OS thread ends meanwhile.
void stretches::look_at(core::worker& w, void* self) {
    core::host* here = glance(w.here);
    const core::work_unit* unit = glance(w.current);
    // A scheduler's own code has no scheduling points to reach.
    if (here == nullptr || (unit != nullptr && is_scheduler(*unit))) {
        unit = nullptr;
    }
    int points = 0;
    if (unit != nullptr) {
        os::read_memory(here->scheduling_points(), &points,
                        sizeof points);  // the scheduler may be gone by now
    }
    auto* all = static_cast<stretches*>(self);
    all->note({&w, unit, w.count.started.get(), w.count.suspensions.get(), points,
               glance(w.system_thread), all->now_, false});
}

void stretches::note(const stretch& now) {
    for (stretch& each : all_) {
        if (each.where == now.where) {
            const bool goes_on = each.unit == now.unit && each.started == now.started &&
                                 each.suspensions == now.suspensions &&
                                 each.scheduling_points == now.scheduling_points;
            each = goes_on ? each : now;
            return;
        }
    }
    all_.push_back(now);
}

void stretches::look() {
    now_ = os::now_ns();
    core::for_each_worker(look_at, this);
}

}  // namespace lazult::watch
