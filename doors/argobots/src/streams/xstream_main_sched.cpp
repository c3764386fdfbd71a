// SPDX-License-Identifier: BSD-3-Clause
#include "streams/xstream_main_sched.hpp"

#include "schedulers/sched_hosts.hpp"

namespace lazult::abt {

// Stands on the stack of the ULT that wants it, which waits. Only that stream's OS thread touches
// it.
struct main_replacement {
    sched_object& next;
    work_unit& waiter;
    old_sched_fate fate;
    sync::event_cell done;
};

namespace {

bool is_from(const work_unit& u, const sched_object& s) noexcept { return has_pool(s, *u.home); }

// A unit that is left with a scheduler that goes.
int move_over(work_unit& u, const sched_object& from, const sched_object& to) noexcept {
    if (!is_from(u, from) || to.pools().empty()) {
        return ABT_SUCCESS;
    }
    return associate(u, *to.pools().front());
}

void let_go(sched_object& s, old_sched_fate fate) noexcept {
    give_sched_back(s);
    if (fate == old_sched_fate::freed_with_all_pools) {
        free_sched(s, true);
    } else if (s.is_automatic) {
        free_sched(s);
    }
}

// One that has not taken effect gives way to a newer one.
void drop_pending(worker& w, xstream_object& x, const sched_object& newer) noexcept {
    main_replacement* const pending = std::exchange(x.replacement, nullptr);
    if (pending == nullptr) {
        return;
    }
    pending->next.host->detach_pools(w);
    move_over(pending->waiter, pending->next, newer);
    let_go(pending->next, old_sched_fate::freed_if_automatic);
    pending->done.set();
}

// SUCCESS, and then the old scheduler is asked to give way; INV_SCHED, UNIT, MEM.
int begin(worker& w, xstream_object& x, main_replacement& wanted) noexcept {
    sched_object& next = wanted.next;
    forget_requests(next);
    next.host->set_identity(*x.identity);
    if (const int outcome = to_code(x.stream->replace_main(*next.host), ABT_ERR_INV_SCHED);
        outcome != ABT_SUCCESS) {
        return outcome;
    }
    drop_pending(w, x, next);
    x.replacement = &wanted;
    ask(*x.main, sched_replace);
    return ABT_SUCCESS;
}

}  // namespace

int replace_main_sched(const caller& me, xstream_object& x, sched_object& next,
                       old_sched_fate fate) {
    // Before anything else, because it may fail. Nobody asks where a running ULT belongs.
    if (const int outcome = move_over(*me.unit, *x.main, next); outcome != ABT_SUCCESS) {
        return outcome;
    }
    main_replacement wanted{next, *me.unit, fate, {}};
    const int outcome = begin(*me.w, x, wanted);
    if (outcome != ABT_SUCCESS) {
        move_over(*me.unit, next, *x.main);
        return outcome;
    }
    // Not counted as blocked: the old scheduler must not wait for it.
    wanted.done.wait();
    return ABT_SUCCESS;
}

// In the new scheduler's own code, before it runs anything.
void main_sched_took_over(worker& w) noexcept {
    xstream_object& x = *xstream_of(w);
    main_replacement& done = *std::exchange(x.replacement, nullptr);
    let_go(exchange_main_sched(x, done.next), done.fate);
    done.done.set();
}

}  // namespace lazult::abt

using namespace lazult::abt;

namespace {

// The stream that `next` is for stands still.
void change_at_rest(xstream_object& x, sched_object& next) noexcept {
    sched_object& old = exchange_main_sched(x, next);
    give_sched_back(old);
    if (old.is_automatic) {
        free_sched(old);
    }
}

// SUCCESS; UNINITIALIZED, INV_XSTREAM, INV_THREAD, XSTREAM_STATE.
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

// `next` is not in use.
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
    const caller me = who();
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
    const caller me = who();
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
