// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/stacked_scheduler.hpp"

#include "lazult/sched/stream.hpp"

namespace lazult::sched {
namespace {

void run_stacked(void* self) {
    auto* stacked = static_cast<scheduler*>(static_cast<core::host*>(self));
    worker& w = core::this_worker();
    if (const stream* here = this_stream(); here != nullptr && here->pinned() != nullptr) {
        w.current->join.open();  // because the unit may end on another thread than its old home's
        // The scheduler's private pools bind its unit to this stream from now on.
        core::set_present_home(*w.current, *here->pinned());
    }
    if (stacked->attach_pools(w) != base::status::ok) {
        base::warn(
            "a stacked scheduler ends at once: one of its pools is private to another stream");
        return;
    }
    core::host::run_as_unit(stacked);
}

}  // namespace

bool may_leave_kept(const scheduler& stacked, const core::pool& into) noexcept {
    return stacked.keeps() && !static_cast<const ready_pool&>(into).binds_schedulers();
}

base::status push_scheduler(scheduler& stacked, core::pool& into, const stacked_options& options,
                            work_unit** unit) noexcept {
    if (!stacked.is_usable()) {
        return base::status::out_of_memory;
    }
    if (may_leave_kept(stacked, into)) {
        return base::status::not_supported;
    }
    worker& w = core::this_worker();
    auto attributes = options.attributes;
    work_unit* u = core::prepare(w, into, run_stacked, static_cast<core::host*>(&stacked),
                                 attributes.of_host());
    if (u == nullptr) {
        return base::status::out_of_memory;
    }
    stacked.request_stop(options.request);
    if (options.hears_of_release) {
        // nobody else knows it
        u->notes.fetch_or(core::stands_for_host, std::memory_order_relaxed);
    }
    *unit = u;
    if (options.detached) {
        u->join.reset_detached();
    }
    core::launch_open(w, u);  // never local, because the pool may become another stream's
    return base::status::ok;
}

base::status push_scheduler(scheduler& stacked, core::pool& into, work_unit** unit) {
    stacked_options options;
    options.hears_of_release = false;
    return push_scheduler(stacked, into, options, unit);
}

}  // namespace lazult::sched
