// SPDX-License-Identifier: BSD-3-Clause
// Replacing the main scheduler of a stream.
#include "streams/xstream_main_sched.hpp"
#include "schedulers/sched_create.hpp"

using namespace lazult::abt;

namespace {

// Replaces the main scheduler of a stream that does not run.
void change_at_rest(xstream_object& x, sched_object& next) noexcept {
    sched_object& old = exchange_main_sched(x, next);
    give_sched_back(old);
    if (old.is_automatic) {
        free_sched(old);
    }
}

// Checks a call. Returns SUCCESS, UNINITIALIZED, INV_XSTREAM, INV_THREAD or XSTREAM_STATE.
int check_change(const caller& me, const xstream_object* x) noexcept {
    if (!is_initialized()) {
        return ABT_ERR_UNINITIALIZED;
    }
    if (x == nullptr || me.is_outside()) {
        return ABT_ERR_INV_XSTREAM;
    }
    if (!me.is_ult()) {
        return ABT_ERR_INV_THREAD;
    }
    return x->is_running() && xstream_of(*me.w) != x ? ABT_ERR_XSTREAM_STATE : ABT_SUCCESS;
}

// Makes `next`, which must not be in use, the stream's main scheduler.
int change(const caller& me, xstream_object& x, sched_object& next) {
    if (!take_sched(next, sched_use::main)) {
        return ABT_ERR_INV_SCHED;
    }
    if (!x.is_running()) {
        change_at_rest(x, next);
        return ABT_SUCCESS;
    }
    const int outcome = replace_main_sched(me, x, next, old_sched_fate::freed_if_automatic);
    if (outcome != ABT_SUCCESS) {
        give_sched_back(next);
    }
    return outcome;
}

int change_to_new(const caller& me, xstream_object& x, const sched_plan& plan) {
    sched_object* made = nullptr;
    int outcome = create_sched(plan, &made);
    if (outcome != ABT_SUCCESS) {
        return outcome;
    }
    outcome = change(me, x, *made);
    if (outcome != ABT_SUCCESS) {
        abandon_sched(*made, plan.pools);
    }
    return outcome;
}

}  // namespace

int ABT_xstream_set_main_sched(ABT_xstream xstream, ABT_sched sched) {
    const caller me = this_caller();
    auto* const x = checked_xstream(xstream);
    int outcome = check_change(me, x);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    note_null(sched);
    if (is_null(sched)) {
        outcome = change_to_new(me, *x, {});
    } else {
        auto* const s = checked_sched(sched);
        outcome = s == nullptr ? ABT_ERR_INV_SCHED : change(me, *x, *s);
    }
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    return ABT_SUCCESS;
}

int ABT_xstream_set_main_sched_basic(ABT_xstream xstream, ABT_sched_predef predef, int num_pools,
                                     ABT_pool* pools) {
    const caller me = this_caller();
    auto* const x = checked_xstream(xstream);
    int outcome = check_change(me, x);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    sched_plan plan;
    plan.predef = predef;
    plan.pool_count = num_pools;
    plan.pools = pools;
    outcome = change_to_new(me, *x, plan);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    return ABT_SUCCESS;
}
