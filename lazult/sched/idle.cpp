// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/idle.hpp"

namespace lazult::sched {

namespace {

// field     written by               read by    order
// running   streams, at both ends    idlers     relaxed: a hint
constinit ds::default_atomics::atomic<int> running{0};

// Counted with the first idler, before streams are bound.
int processors() noexcept {
    static const int count = os::count_allowed_processors();
    return count;
}

}  // namespace

idler::idler() noexcept
    : slot_(sleepers().take_slot()), spin_ns_(base::current_settings().idle_spin) {
    processors();
}

void idler::count_streams(int change) noexcept {
    running.fetch_add(change, std::memory_order_relaxed);
}

bool idler::is_crowded() noexcept { return running.load(std::memory_order_relaxed) > processors(); }

bool idler::has_company() noexcept {
    const int streams = running.load(std::memory_order_relaxed);
    return streams > 1 && streams <= processors();
}

idler::~idler() {
    if (can_sleep()) {
        sleepers().give_slot(slot_);
    }
}

}  // namespace lazult::sched
