// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/life/in_place.hpp"

#include "lazult/core/observe/observer.hpp"
#include "lazult/core/switch/first_suspension.hpp"
#include "lazult/core/switch/honour.hpp"
#include "lazult/core/switch/host.hpp"
#include "lazult/core/switch/suspend.hpp"
#include "lazult/core/worker/home_guard.hpp"

namespace lazult::core {
namespace {

// A child called on a stack of its own, and the stack that its return goes to.
struct called_child {
    work_unit* unit;
    stack* caller;

    static void main(void* self) noexcept {
        arrive(nullptr);
        const called_child me = *static_cast<called_child*>(self);
        run_entry(me.unit);
        if constexpr (probe::asan || probe::tsan) {
            depart(me.caller, nullptr);
        }
    }
};

// Ends a child that was called on the stack `left`, maybe by another stream.
LAZULT_NOINLINE void end_apart(work_unit* joiner, work_unit* child, stack* left, int error_number) {
    stack_cache::release(left, &this_worker().stacks);
    // Its local values are destroyed on the joiner's stack. Destructors may suspend or join.
    child->stk = joiner->stk;
    probe::acquire(child);
    back_in_joiner(this_worker(), joiner, child, error_number);
}

void call_on_own_stack(worker& w, work_unit* joiner, work_unit* child, start_mode mode) {
    stack* s = child->stk;
    const int error_number = *w.error_number;
    cleanse(s);
    w.count.started.increment();
    child->set_started(running_mark::of(mode, w.stream_number()));
    w.current = child;
    called_child record{child, joiner->stk};
    void* fake = nullptr;
    depart(s, &fake);
    if (mode == start_mode::return_on_completion) {
        arch::lazult_call_saved_from_host(&joiner->context, s->top(), called_child::main, &record);
    } else {
        arch::lazult_call_on(s->top(), called_child::main, &record);
    }
    arrive(fake);
    end_apart(joiner, child, s, error_number);
}

// A joiner that gives way to a child of its own function suspends only because both were planned to
// have stacks: with another plan it would call the child. If such suspensions counted, a function
// that joins its own kind would never get another plan. So such a suspension does not count: the
// unit is no sample until end_uncounted().
bool begins_uncounted(work_unit& joiner, const work_unit& child) noexcept {
    constexpr technique planned = technique::lazy_stack;
    const bool is_uncounted = (joiner.notes.load(std::memory_order_relaxed) & is_sample) != 0 &&
                              joiner.entry == child.entry && joiner.header.plan == planned &&
                              !joiner.has(flag_suspended);
    if (is_uncounted) LAZULT_UNLIKELY {
        joiner.notes.fetch_and(~std::uint32_t{is_sample}, std::memory_order_relaxed);
    }
    return is_uncounted;
}
void end_uncounted(work_unit& joiner) noexcept {
    joiner.notes.fetch_or(is_sample, std::memory_order_relaxed);
    joiner.clear(flag_suspended);
}

// For full and lazy stack: the joiner suspends with all its registers, and the child's end jumps
// back to it.
void switch_to_child(work_unit* joiner, work_unit* child) {
    const bool is_uncounted = begins_uncounted(*joiner, *child);
    suspend_into(child);
    probe::acquire(child);
    end_holding_home(*joiner);
    joiner->set(flag_joins_many);
    if (is_uncounted) LAZULT_UNLIKELY {
        end_uncounted(*joiner);
    }
}

// take_child() from a pool that may be destroyed, because the child may end on another thread.
LAZULT_NOINLINE bool take_from_elsewhere(worker& w, work_unit* child) noexcept {
    const home_guard at(&w, *child);
    return at.keeps_home_of(*child) && at.home().take(w, child);
}

// Takes the child out of its pool. Two pools need no guard: the joiner's home, which is there as
// long as the joiner is, and a pool that this thread owns.
LAZULT_ALWAYS_INLINE bool take_child(worker& w, const work_unit* joiner,
                                     work_unit* child) noexcept {
    pool* const home = present_home(*child);
    const bool is_own = home == w.fast_pool || (w.lane != nullptr && home == w.lane->home());
    if (home == joiner->home || is_own) LAZULT_LIKELY {
        return home->take(w, child);
    }
    return take_from_elsewhere(w, child);
}

// Gives back a child that was claimed, but for which there is no stack. Returns false.
LAZULT_COLD bool give_up_call(worker& w, work_unit* joiner, work_unit* child) noexcept {
    child->join.withdraw(reinterpret_cast<join_word<>::value>(joiner));
    give_back(w, child);
    return false;
}

bool start_called(worker& w, work_unit* joiner, work_unit* child, start_mode mode) {
    stack* const s = w.stacks.allocate(child->header.stack_class);
    if (s == nullptr) {
        return give_up_call(w, joiner, child);
    }
    child->stk = s;
    call_on_own_stack(w, joiner, child, mode);
    return true;
}

}  // namespace

LAZULT_COLD void give_back(worker& w, work_unit* u) noexcept {
    u->set_ready_at_first();
    make_ready(&w, u);
}

LAZULT_NOINLINE worker& end_in_place_slowly(work_unit* joiner, work_unit* child, int error_number) {
    if (child->has(flag_locals)) {
        destroy_locals(*child);
    }
    if (child->has(flag_suspended)) {
        // The joiner's frames were left together with the child's. Code below the joiner must know
        // that: a unit that called the joiner in place, or code that waits to return into the
        // joiner's parent.
        if (!is_observed_unit(*joiner)) LAZULT_LIKELY {
            joiner->set(flag_suspended);
        } else if (!is_watched_unit(*joiner)) {  // a watched one notes each suspension itself
            trace_return_into(*joiner);
        }
        joiner->header.headroom_class = unit_header::no_headroom;
    }
    worker& now = this_worker();
    probe::acquire(child);
    if (now.stay_pool != nullptr) LAZULT_UNLIKELY {
        stay_here(now, *joiner);
    }
    now.current = joiner;
    *now.error_number = error_number;
    child->stk = nullptr;
    child->set_state(life_state::finished);
    child->join.finish_in_place();
    if (!now.here->serves(now, *joiner->home)) {
        leave_for_home();
    }
    end_holding_home(*joiner);
    return running_worker();
}

LAZULT_NOINLINE worker& end_freed_in_place_slowly(work_unit* joiner, work_unit* child,
                                                  int error_number) {
    worker& now = end_in_place_slowly(joiner, child, error_number);
    probe::release(child);  // pairs with: the thread that prepares it again
    dispose(now, child);    // destructors may suspend
    return running_worker();
}

bool start_taken(worker& w, work_unit* joiner, work_unit* u) {
    const technique how = u->header.plan;
    if (how == technique::full || how == technique::lazy_stack || u->has(flag_user_stack)) {
        switch_to_child(joiner, u);
        return true;
    }
    return start_called(w, joiner, u, runs_on_caller(how) ? start_mode::in_place : mode_of(how));
}

namespace {

void run_apart(void* child) { run_entry(static_cast<work_unit*>(child)); }

template <afterwards what>
LAZULT_NOINLINE bool call_apart_slowly(worker& w, work_unit* joiner, work_unit* child) {
    if (!start_taken(w, joiner, child)) {
        return false;
    }
    if constexpr (what == afterwards::freed) {
        probe::release(child);  // pairs with: the thread that prepares it again
        dispose(running_worker(), child);
    }
    return true;
}

// start_taken() in few instructions, without sanitizers and if a stack is at hand.
template <afterwards what>
LAZULT_ALWAYS_INLINE bool call_apart(worker& w, work_unit* joiner, work_unit* child) {
    stack* const s =
        probe::asan || probe::tsan ? nullptr : w.stacks.allocate(child->header.stack_class);
    if (s == nullptr) LAZULT_UNLIKELY {
        return call_apart_slowly<what>(w, joiner, child);
    }
    const int error_number = *w.error_number;
    child->stk = s;
    w.count.started.increment();
    w.current = child;
    arch::lazult_call_on(s->top(), run_apart, child);
    if (child->has(flag_suspended | flag_locals)) LAZULT_UNLIKELY {
        end_apart(joiner, child, s, error_number);
        if constexpr (what == afterwards::freed) {
            probe::release(child);  // pairs with: the thread that prepares it again
            dispose(running_worker(), child);
        }
        return true;
    }
    stack_cache::release(s, &w.stacks);
    back_in_joiner<what>(w, joiner, child, error_number);
    return true;
}

}  // namespace

template <afterwards what>
LAZULT_NOINLINE bool run_newest_apart(worker& w, work_unit* u) {
    work_unit* const joiner = w.current;
    if (!may_be_called_apart(*u) || !w.lane->take_newest()) {
        return false;
    }
    if (!claim(w, joiner, u)) LAZULT_UNLIKELY {
        give_back(w, u);
        return false;
    }
    return call_apart<what>(w, joiner, u);
}
template bool run_newest_apart<afterwards::kept>(worker& w, work_unit* u);
template bool run_newest_apart<afterwards::freed>(worker& w, work_unit* u);

template <afterwards what>
LAZULT_NOINLINE bool run_oldest_in_place(worker& w, work_unit* u) {
    work_unit* const joiner = w.current;
    if (!may_call(w, joiner, *u)) LAZULT_UNLIKELY {
        return false;
    }
    const bool here = has_headroom(*joiner, *u);
    if ((!here && !may_be_called_apart(*u)) || !w.lane->take_oldest(u)) LAZULT_UNLIKELY {
        return false;
    }
    if (!claim(w, joiner, u)) LAZULT_UNLIKELY {
        give_back(w, u);
        return false;
    }
    if (!here) LAZULT_UNLIKELY {
        return call_apart<what>(w, joiner, u);
    }
    call_here<what>(w, joiner, u);
    return true;
}
template bool run_oldest_in_place<afterwards::kept>(worker& w, work_unit* u);
template bool run_oldest_in_place<afterwards::freed>(worker& w, work_unit* u);

template <afterwards what>
LAZULT_NOINLINE bool run_next_apart(worker& w, pool& own, work_unit* u) {
    work_unit* const joiner = w.current;
    if (!may_be_called_apart(*u) || !claim(w, joiner, u)) {
        return false;
    }
    own.drop_next_here(u);
    return call_apart<what>(w, joiner, u);
}
template bool run_next_apart<afterwards::kept>(worker& w, pool& own, work_unit* u);
template bool run_next_apart<afterwards::freed>(worker& w, pool& own, work_unit* u);

namespace {

// The rest of start_in_place() for a traced unit. `here`: the unit runs on the joiner's stack.
LAZULT_COLD bool start_traced_in_place(worker& w, work_unit* joiner, work_unit* u, bool here) {
    if (has_demands(*u) || has_own_words(w) || w.exceptions->any() || !take_child(w, joiner, u)) {
        return false;
    }
    if (u->context != nullptr ||
        !u->join.try_expect(reinterpret_cast<join_word<>::value>(joiner))) {
        make_ready(&w, u);
        return false;
    }
    const technique how = u->header.plan;
    if (here) {
        trace_start_in_place(*u);
        u->set_started(w.in_place_mark);
        call_here(w, joiner, u);
        return true;
    }
    if (how != technique::full && how != technique::lazy_stack && !u->has(flag_user_stack)) {
        trace_start_in_place(*u);
    }
    return start_taken(w, joiner, u);
}

}  // namespace

bool start_in_place(worker& w, work_unit* u) {
    work_unit* joiner = w.current;
    const bool is_guest = runs_on_caller(u->header.plan);
    const bool here = is_guest && has_headroom(*joiner, *u);
    if ((is_guest && !here && !may_be_called_apart(*u)) || u->join.has_waiter()) {
        return false;
    }
    if (!can_run_inline(w, *u)) LAZULT_UNLIKELY {
        return is_traced_unit(*u) && start_traced_in_place(w, joiner, u, here);
    }
    if (!take_child(w, joiner, u)) {
        return false;
    }
    // Between the check and the taking, another stream may have run the unit, or another joiner may
    // have registered.
    if (u->context != nullptr ||
        !u->join.try_expect(reinterpret_cast<join_word<>::value>(joiner))) {
        make_ready(&w, u);
        return false;
    }
    if (!here) {
        return start_taken(w, joiner, u);
    }
    u->set_started(w.in_place_mark);
    call_here(w, joiner, u);
    return true;
}

}  // namespace lazult::core
