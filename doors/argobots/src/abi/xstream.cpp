// SPDX-License-Identifier: BSD-3-Clause
// Queries about execution streams, and what users' schedulers call in their loops.
#include "pools/unit.hpp"
#include "printing/stack_dump.hpp"
#include "schedulers/sched_user.hpp"
#include "settings/environment.hpp"
#include "streams/affinity.hpp"

#include <algorithm>

using namespace lazult::abt;

namespace {

// Finds the caller's stream. Returns SUCCESS, UNINITIALIZED or INV_XSTREAM.
int find_callers_xstream(xstream_object** found) noexcept {
    if (!is_initialized()) {
        return ABT_ERR_UNINITIALIZED;
    }
    const caller me = this_caller();
    *found = me.is_outside() ? nullptr : xstream_of(*me.w);
    return *found == nullptr ? ABT_ERR_INV_XSTREAM : ABT_SUCCESS;
}

// Finishes ABT_xstream_self when its short test has failed. Mostly the caller is in no stream of
// this door.
LAZULT_NOINLINE int refuse_self(ABT_xstream* xstream) noexcept {
    *xstream = as_null(ABT_XSTREAM_NULL);
    xstream_object* x = nullptr;
    const int outcome = find_callers_xstream(&x);
    if (outcome != ABT_SUCCESS) {
        return refuse(outcome, "ABT_xstream_self");
    }
    *xstream = x->handle();
    return ABT_SUCCESS;
}

}  // namespace

int ABT_xstream_self(ABT_xstream* xstream) {
    const lazult::core::worker* const w = core::this_worker_or_null();
    const ABT_xstream running = w == nullptr ? nullptr : running_xstream(*w);
    if (running != nullptr && w->current != nullptr && has_bit(*w->current, abt_unit))
        LAZULT_LIKELY {
        *xstream = running;
        return ABT_SUCCESS;
    }
    return refuse_self(xstream);
}

int ABT_xstream_self_rank(int* rank) {
    xstream_object* x = nullptr;
    const int outcome = find_callers_xstream(&x);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    *rank = rank_of(*x);
    return ABT_SUCCESS;
}

int ABT_xstream_set_rank(ABT_xstream xstream, int rank) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr && !x->is_primary, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(rank >= 0 && change_rank(*x, rank), ABT_ERR_INV_XSTREAM_RANK);
    if (current_environment().affinity) {
        std::vector<int> cpus;
        ABT_GIVE_UP_UNLESS(choose_default_cpus(rank, &cpus), ABT_ERR_MEM);
        return ABT_xstream_set_affinity(xstream, static_cast<int>(cpus.size()), cpus.data());
    }
    return ABT_SUCCESS;
}

int ABT_xstream_get_rank(ABT_xstream xstream, int* rank) {
    return ask_object<xstream_object>(xstream, __func__, rank, rank_of);
}

int ABT_xstream_get_main_sched(ABT_xstream xstream, ABT_sched* sched) {
    return ask_object<xstream_object>(xstream, __func__, sched,
                                      [](const auto& x) { return to_handle(x.main); });
}

int ABT_xstream_get_main_pools(ABT_xstream xstream, int max_pools, ABT_pool* pools) {
    const auto* const x = checked<xstream_object>(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(max_pools >= 0, ABT_ERR_INV_ARG);
    const auto all = x->main->pools();
    const std::size_t count = std::min(all.size(), static_cast<std::size_t>(max_pools));
    for (std::size_t i = 0; i < count; ++i) {
        pools[i] = reinterpret_cast<ABT_pool>(all[i]);
    }
    return ABT_SUCCESS;
}

int ABT_xstream_get_state(ABT_xstream xstream, ABT_xstream_state* state) {
    return ask_object<xstream_object>(xstream, __func__, state, [](const auto& x) {
        return x.is_running() ? ABT_XSTREAM_STATE_RUNNING : ABT_XSTREAM_STATE_TERMINATED;
    });
}

int ABT_xstream_equal(ABT_xstream xstream1, ABT_xstream xstream2, ABT_bool* result) {
    *result = are_same(xstream1, xstream2);
    return ABT_SUCCESS;
}

int ABT_xstream_get_num(int* num_xstreams) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    *num_xstreams = count_xstreams();
    return ABT_SUCCESS;
}

int ABT_xstream_is_primary(ABT_xstream xstream, ABT_bool* is_primary) {
    return ask_object<xstream_object>(xstream, __func__, is_primary, [](const auto& x) {
        return x.is_primary ? ABT_TRUE : ABT_FALSE;
    });
}

int ABT_xstream_run_unit(ABT_unit unit, ABT_pool pool) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    work_unit* const u = thread_of(unit);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_UNIT);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    const int outcome = associate(*u, *p);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    run_child(me, *u);
    return ABT_SUCCESS;
}

int ABT_xstream_check_events(ABT_sched sched) {
    xstream_object* here = nullptr;
    const int outcome = find_callers_xstream(&here);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(running_users_sched(me) == s, ABT_ERR_INV_THREAD);
    attend_to_stack_dumps();
    rest_if_idle(*s, *me.w);
    return ABT_SUCCESS;
}
