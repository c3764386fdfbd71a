// SPDX-License-Identifier: BSD-3-Clause
#include "streams/xstream_main_sched.hpp"

#include "pools/unit.hpp"

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
    pending->next.scheduler->detach_pools(w);
    move_over(pending->waiter, pending->next, newer);
    let_go(pending->next, old_sched_fate::freed_if_automatic);
    pending->done.set();
}

// In the new scheduler's own code, on its stream's worker, before it runs anything. Lets go of the
// old main scheduler and wakes the ULT that asked.
void main_sched_took_over(worker& w) noexcept {
    xstream_object& x = *xstream_of(w);
    main_replacement& done = *std::exchange(x.replacement, nullptr);
    let_go(exchange_main_sched(x, done.next), done.fate);
    done.done.set();
}

// SUCCESS, and then the old scheduler is asked to give way; INV_SCHED, UNIT, MEM.
int begin(worker& w, xstream_object& x, main_replacement& wanted) noexcept {
    sched_object& next = wanted.next;
    forget_requests(next);
    next.scheduler->set_identity(*x.identity);
    next.took_over = main_sched_took_over;
    if (const int outcome = to_code(x.stream->replace_main(*next.scheduler), ABT_ERR_INV_SCHED);
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

}  // namespace lazult::abt
