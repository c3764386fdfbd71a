// SPDX-License-Identifier: BSD-3-Clause
// Schedulers that are pushed to a pool as units.
#include "pools/unit.hpp"
#include "schedulers/sched.hpp"
#include "units/thread_record.hpp"

using namespace lazult::abt;

namespace {

void run_stacked(void* host) {
    auto& stacked = static_cast<sched::scheduler&>(*static_cast<core::host*>(host));
    if (stacked.attach_pools(core::this_worker()) == base::status::ok) {
        core::host::run_as_unit(host);
    }
}

// Prepares a unit that runs the scheduler and that no thread joins. Returns nullptr when memory is
// exhausted.
work_unit* prepare_stacked(sched_object& s, sched::ready_pool& into) noexcept {
    const std::size_t stack_size = stack_size_of(s);
    auto attributes = core::unit_attributes(core::technique::full, stack_size);
    worker* const w = core::try_this_worker();
    work_unit* const u = w == nullptr ? nullptr
                                      : core::prepare(*w, into, run_stacked,
                                                      static_cast<core::host*>(s.scheduler.get()),
                                                      attributes.of_host());
    if (u == nullptr) {
        return nullptr;
    }
    become_unit(*u, core::unit_header::blocks_thread);
    u->join.reset_detached();
    if (!note_stack_size(*u, stack_size)) {
        free_unit(w, u);
        return nullptr;
    }
    return u;
}

// Pushes a scheduler that the caller has taken. Returns SUCCESS, FEATURE_NA, UNIT or MEM.
int push_stacked(sched_object& s, sched::ready_pool& into) noexcept {
    if (sched::may_leave_kept(*s.scheduler, into)) {
        return ABT_ERR_FEATURE_NA;
    }
    work_unit* const u = prepare_stacked(s, into);
    if (u == nullptr) {
        return ABT_ERR_MEM;
    }
    if (const int outcome = enter_first_pool(*u); outcome != ABT_SUCCESS) {
        free_unit(core::this_worker_or_null(), u);
        return outcome;
    }
    // relaxed: nobody else knows it
    u->notes.fetch_or(core::stands_for_host, std::memory_order_relaxed);
    s.scheduler->request_stop(sched::scheduler::stop_when_empty);
    core::launch_open(core::this_worker(), u);
    return ABT_SUCCESS;
}

}  // namespace

int ABT_pool_add_sched(ABT_pool pool, ABT_sched sched) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr && take_sched(*s, sched_use::in_pool), ABT_ERR_INV_SCHED);
    const int outcome = push_stacked(*s, *p);
    if (outcome != ABT_SUCCESS) {
        give_sched_back(*s);
        return refuse(outcome, __func__);
    }
    return ABT_SUCCESS;
}
