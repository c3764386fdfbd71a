// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/spinning.hpp"

#include <algorithm>

namespace lazult::sync {
namespace {

constexpr unsigned rounds_when_idle = 24;
constexpr unsigned rounds_when_busy = 4;

bool has_other_work(const core::worker& w, sched::stream_record& mine) noexcept {
    const auto pools = mine.main_scheduler().pools();  // a user's scheduler may have none
    return std::any_of(pools.begin(), pools.end(),
                       [&](const sched::ready_pool* p) { return p->maybe_has_work(w); });
}

}  // namespace

bool several_processors() noexcept {
    static const bool several = os::allowed_processors().size() > 1;
    return several;
}

unsigned spin_rounds(const core::work_unit* self) noexcept {
    if (!several_processors()) {
        return 0;
    }
    const core::worker* w = core::this_worker_or_null();
    sched::stream_record* const here = sched::stream_record_of(w);
    if (self == nullptr || here == nullptr) {
        return rounds_when_idle;
    }
    if (w->here->keeps_work_below()) {
        return 0;  // the caller may wait for work below, which runs only when the caller suspends
    }
    return has_other_work(*w, *here) ? rounds_when_busy : rounds_when_idle;
}

}  // namespace lazult::sync
