// SPDX-License-Identifier: BSD-3-Clause
#include "streams/xstream_main_sched.hpp"

#include "pools/unit.hpp"

namespace lazult::abt {

// A replacement that is under way. It lives on the stack of the ULT that asked for it, which waits
// for `done`. Only the stream's OS thread accesses it.
struct main_replacement {
    sched_object& next;
    work_unit& waiter;
    old_sched_fate fate;
    sync::event_cell done;
};

namespace {

// Gives the unit a new home, the first pool of `to`, if its present home is one of `from`'s pools.
int move_over(work_unit& u, const sched_object& from, const sched_object& to) noexcept {
    if (!has_pool(from, *u.home) || to.pools().empty()) {
        return ABT_SUCCESS;
    }
    return associate(u, *to.pools().front());
}

// Gives an old scheduler back, and frees it if `fate` says so.
void let_go(sched_object& s, old_sched_fate fate) noexcept {
    give_sched_back(s);
    if (fate == old_sched_fate::freed_with_all_pools) {
        free_sched(s, true);
    } else if (s.is_automatic) {
        free_sched(s);
    }
}

// Withdraws a replacement that has not taken effect, because a newer one takes its place. The ULT
// that asked for it continues.
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

// Completes the replacement: frees or gives back the old main scheduler, and wakes the ULT that
// asked. It runs in the new scheduler's own code, before the new scheduler runs a unit.
void main_sched_took_over(worker& w) noexcept {
    xstream_object& x = *xstream_of(w);
    main_replacement& done = *std::exchange(x.replacement, nullptr);
    let_go(exchange_main_sched(x, done.next), done.fate);
    done.done.set();
}

// Begins a replacement: asks the old scheduler to give way. Returns SUCCESS, INV_SCHED, UNIT or
// MEM; in case of an error nothing has begun.
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
    // The ULT gets its new home first, because that may fail. While the ULT runs, nothing uses its
    // home.
    if (const int outcome = move_over(*me.unit, *x.main, next); outcome != ABT_SUCCESS) {
        return outcome;
    }
    main_replacement wanted{next, *me.unit, fate, {}};
    const int outcome = begin(*me.w, x, wanted);
    if (outcome != ABT_SUCCESS) {
        move_over(*me.unit, next, *x.main);
        return outcome;
    }
    // The wait is not counted as blocked, because otherwise the old scheduler would wait for this
    // ULT.
    wanted.done.wait();
    return ABT_SUCCESS;
}

}  // namespace lazult::abt
