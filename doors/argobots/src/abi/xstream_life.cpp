// SPDX-License-Identifier: BSD-3-Clause
// Creating, joining, reviving and freeing of execution streams.
#include "streams/xstream_life.hpp"
#include "schedulers/sched_create.hpp"

using namespace lazult::abt;

namespace {

// --- creation

// Takes a scheduler for a new stream: the given one, or a new default one if `sched` is null.
int take_or_create(ABT_sched sched, sched_object** taken) noexcept {
    note_null(sched);
    if (is_null(sched)) {
        if (const int outcome = create_sched({}, taken); outcome != ABT_SUCCESS) {
            return outcome;
        }
    } else {
        *taken = checked_sched(sched);
    }
    return *taken != nullptr && take_sched(**taken, sched_use::main) ? ABT_SUCCESS
                                                                     : ABT_ERR_INV_SCHED;
}

// Creates and starts a stream. `main` was taken for it. In case of an error `main` is given back.
int create_and_start(sched_object& main, int rank, ABT_xstream* newxstream) noexcept {
    xstream_object* x = nullptr;
    if (const int outcome = make_xstream(main, rank, &x); outcome != ABT_SUCCESS) {
        give_sched_back(main);
        return outcome;
    }
    const ABT_xstream handle = x->handle();
    *newxstream = handle;  // written before the stream runs, because its units may look for it
    const int outcome = start_xstream(*x);
    if (outcome != ABT_SUCCESS) {
        *newxstream = as_null(ABT_XSTREAM_NULL);
        unmake_xstream(*x, false);
    }
    return outcome;
}

int create(ABT_sched sched, int rank, ABT_xstream* newxstream) noexcept {
    sched_object* main = nullptr;
    if (const int outcome = take_or_create(sched, &main); outcome != ABT_SUCCESS) {
        return outcome;
    }
    const int outcome = create_and_start(*main, rank, newxstream);
    if (outcome != ABT_SUCCESS && is_null(sched)) {
        free_sched(*main);
    }
    return outcome;
}

constexpr int any_rank = -1;

}  // namespace

int ABT_xstream_create(ABT_sched sched, ABT_xstream* newxstream) {
    *newxstream = as_null(ABT_XSTREAM_NULL);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return result(create(sched, any_rank, newxstream), __func__);
}

int ABT_xstream_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools,
                             ABT_sched_config config, ABT_xstream* newxstream) {
    note_null(config);
    *newxstream = as_null(ABT_XSTREAM_NULL);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    sched_plan plan;
    plan.predef = predef;
    plan.pool_count = num_pools;
    plan.pools = pools;
    plan.config = config;
    sched_object* main = nullptr;
    int outcome = create_sched(plan, &main);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    take_sched(*main, sched_use::main);
    outcome = create_and_start(*main, any_rank, newxstream);
    if (outcome != ABT_SUCCESS) {
        abandon_sched(*main, pools);
        return refuse(outcome, __func__);
    }
    return ABT_SUCCESS;
}

int ABT_xstream_create_with_rank(ABT_sched sched, int rank, ABT_xstream* newxstream) {
    *newxstream = as_null(ABT_XSTREAM_NULL);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    ABT_GIVE_UP_UNLESS(rank >= 0, ABT_ERR_INV_XSTREAM_RANK);
    return result(create(sched, rank, newxstream), __func__);
}

int ABT_xstream_revive(ABT_xstream xstream) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr && !x->is_running(), ABT_ERR_INV_XSTREAM);
    return result(start_xstream(*x), __func__);
}

int ABT_xstream_free(ABT_xstream* xstream) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* const x = checked_xstream(*xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr && !x->is_primary, ABT_ERR_INV_XSTREAM);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(me.is_outside() || xstream_of(*me.w) != x, ABT_ERR_INV_XSTREAM);
    join_xstream(*x);
    unmake_xstream(*x, true);
    *xstream = as_null(ABT_XSTREAM_NULL);
    return ABT_SUCCESS;
}

// Refuses only the stream's own main scheduler. A unit of the stream would wait for itself, too,
// but is not refused: a ULT may be able to move to another stream.
int ABT_xstream_join(ABT_xstream xstream) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr && !x->is_primary, ABT_ERR_INV_XSTREAM);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_main_scheduler() || xstream_of(*me.w) != x, ABT_ERR_INV_XSTREAM);
    join_xstream(*x);
    return ABT_SUCCESS;
}

int ABT_xstream_exit(void) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    xstream_object* const here = xstream_of(*me.w);
    ABT_GIVE_UP_UNLESS(here != nullptr && !here->is_primary, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_main_scheduler(), ABT_ERR_INV_THREAD);
    ask_main_sched(*here, sched_exit);
    return ABT_self_exit();
}

int ABT_xstream_cancel(ABT_xstream xstream) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr && !x->is_primary, ABT_ERR_INV_XSTREAM);
    ask_main_sched(*x, sched_exit);
    return ABT_SUCCESS;
}
