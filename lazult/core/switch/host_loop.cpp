// SPDX-License-Identifier: BSD-3-Clause
// The loop of a host, and what lies between the loop and the switch: how units start, are resumed
// and end. Lower files of this folder do not call functions of this one. They switch to loop_entry,
// full_unit_entry and redirected_entry. The exceptions are a host that is a unit itself and gives
// way (yield_to_parent), and two calls for rare stacks (call_from, leave_users_stack).
#include <utility>

#include "lazult/core/observe/trace.hpp"
#include "lazult/core/switch/finish.hpp"
#include "lazult/core/switch/honour.hpp"
#include "lazult/core/switch/host.hpp"
#include "lazult/core/switch/suspend.hpp"

namespace lazult::core {

// The functions that stacks start with. They run on the stack that was just entered.
struct host_entry {
    static arch::departure main(void* self) noexcept {
        auto* h = static_cast<host*>(self);
        arrive_anew(h->stk_, h->take_fake());
        probe::acquire(self);  // pairs with: execute(), run_on_thread()
        return h->loop();
    }

    // Entered on the successor's stack, when the former host has left its own.
    static arch::departure take_over(void* self) noexcept {
        arrive(nullptr);
        probe::acquire(self);  // pairs with: hand_on()
        auto* h = static_cast<host*>(self);
        h->took_over(this_worker());
        return h->loop();
    }

    // The end of a unit that was called, and promoted meanwhile.
    static arch::departure redirected(void*) noexcept { host::finish_running(); }

    // The entry of full and lazy stack. A unit that ends here may leave its stack to the next unit,
    // if that needs one. Then there is no switch at all.
    static arch::departure full(void* unit) noexcept {
        arrive(nullptr);
        auto* u = static_cast<work_unit*>(unit);
        for (;;) {
            invoke(u);
            const arch::departure end = end_alone(u);
            if (end.to != nullptr) {
                return end;
            }
            u = static_cast<work_unit*>(end.argument);
        }
    }

    // Returns where full() returns to: the joiner that called the unit, or, with a null context,
    // the next unit on this very stack. A unit that is resumed from a pool is jumped to, because
    // the return predictor has long forgotten it. This function is apart from full(), because each
    // suspended unit pays for the frame of full().
    LAZULT_NOINLINE static arch::departure end_alone(work_unit* u) noexcept {
        worker& w = running_worker();
        host& here = *w.here;
        if (u->has(flag_user_stack)) LAZULT_UNLIKELY {
            here.leave_users_stack(w, u);
        }
        stack* left = std::exchange(u->stk, nullptr);
        if (work_unit* joiner = complete(w, u); joiner != nullptr) LAZULT_UNLIKELY {
            return host::departure_to(w, joiner, left);
        }
        work_unit* next = here.pick(w);
        if (next == nullptr) LAZULT_UNLIKELY {
            here.leave_for(w, nullptr, left);
        }
        if (next->context != nullptr && !host::must_be_asked(*next)) LAZULT_LIKELY {
            const arch::departure end = host::departure_to(w, next, left);
            arch::lazult_jump(end.to, end.argument == nullptr ? nullptr : left_stack, left);
        }
        if (!host::inherits(*next, *left)) {
            here.leave_for(w, next, left);
        }
        if (stack* own = next->stk; own != nullptr) {
            stack_cache::release(own, &w.stacks);
        }
        next->stk = left;
        next->set_started(w.alone_mark);
        w.count.started.increment();
        w.current = next;
        return {nullptr, next};
    }

    // The entry of RoC and SS. Sanitizers must know of a plain return.
    static void called(void* unit) noexcept {
        arrive(nullptr);
        auto* u = static_cast<work_unit*>(unit);
        invoke(u);
        if constexpr (probe::asan || probe::tsan) {
            if (!u->has(flag_promoted)) {
                depart(this_worker().here->stk_, nullptr);
            }
        }
    }

    struct child_call {
        work_unit* parent;
        work_unit* child;
        pool* home;  // the parent's: its descriptor may be gone when the child ends
        stack* parents_stack;
    };

    // The entry of a child that runs first, by return on completion. The record stands in the
    // parent's frame, so it is read before the parent is published.
    static void called_first(void* call) noexcept {
        arrive(nullptr);
        const child_call me = *static_cast<child_call*>(call);
        // pairs with: launch_child_first(); the pool below may be younger than this stack
        probe::acquire(me.child);
        probe::release(me.parent);
        const pool::ticket place = me.home->push_parent(&this_worker(), me.parent);
        // If the child runs its parent above itself, the parent may come back to its old place in
        // the pool. The number of suspensions shows that.
        const std::uint64_t suspensions = this_worker().count.suspensions.get();
        invoke(me.child);
        worker& now = this_worker();
        // Without a ticket another stream may have ended the parent, and its pool may be gone.
        if (me.child->has(flag_suspended) || now.here->has_handed_over() ||
            place == pool::no_ticket || now.count.suspensions.get() != suspensions ||
            !me.home->take_parent(now, me.parent, place)) {
            host::finish_running();
        }
        depart(me.parents_stack, nullptr);
    }

    static constexpr arch::entry_record successor_entry{take_over, left_stack};
};

constinit const arch::entry_record host::loop_entry{host_entry::main, left_stack};
constinit const arch::entry_record host::full_unit_entry{host_entry::full, left_stack};
constinit const arch::entry_record host::redirected_entry{host_entry::redirected, left_stack};

namespace {

// What execute() returns if the unit that ended had been promoted on the loop's former stack.
work_unit* const promoted_unit = reinterpret_cast<work_unit*>(std::uintptr_t{1});

// Runs on the stack of a unit that resumes from a tail yield. May throw into the unit.
void ask(void* unit) { honour_requests(*static_cast<work_unit*>(unit)); }

}  // namespace

// Pushes a unit for which there is no stack behind the other units of its pool. Those that have
// stacks may end and leave them.
LAZULT_COLD work_unit* host::put_off(worker& w, work_unit* u) noexcept {
    await_stack_of(w, *u);
    if (is_traced_unit(*u)) {
        trace_delay(*u);
    }
    w.current = self_;
    make_ready(&w, u);
    return nullptr;
}

// When control comes back here this host may be gone, because a successor's end returns here, too.
base::status host::run_on_thread(worker& w) noexcept {
    host* const below = w.here;
    parent_ = below;
    w.here = this;
    ensure_stack(w);
    w.current = self_;
    probe::release(this);
    void* fake = nullptr;
    depart(stk_, &fake);
    arch::lazult_start(&return_context_, stk_->top(), &loop_entry, this, nullptr, nullptr);
    arrive(fake);
    probe::acquire(&w);  // pairs with: leave()
    w.here = below;
    w.current = nullptr;
    return base::status::ok;
}

arch::departure host::leave() noexcept {
    probe::acquire(&context_);  // pairs with: leave_for_loop()
    worker& w = this_worker();
    ended(w);
    if (work_unit* kept = take_handed_over(); kept != nullptr) LAZULT_UNLIKELY {
        make_ready(&w, kept);  // an own loop has not taken it
    }
    if (successor_ != nullptr) {
        hand_on(w);
    }
    if (stacked_) {
        self_->clear(flag_tasklet);
        end_in_context(*self_);
        // The host may run again, as a main host. Its stack is the unit's.
        stacked_ = false;
        stk_ = nullptr;
        context_ = nullptr;
        w.here = parent_;
        w.current = self_;
        host::finish_running();
    }
    probe::release(&w);
    depart(&w.thread_stack, nullptr);
    return {return_context_, std::exchange(stk_, nullptr)};
}

void host::hand_on(worker& w) noexcept {
    host* next = std::exchange(successor_, nullptr);
    next->return_context_ = std::exchange(return_context_, nullptr);
    next->parent_ = parent_;
    next->context_ = nullptr;
    context_ = nullptr;
    w.here = next;
    next->ensure_stack(w);
    w.current = next->self_;
    probe::release(next);
    depart(next->stk_, nullptr);
    arch::lazult_start_over(next->stk_->top(), &host_entry::successor_entry, next, left_stack,
                            std::exchange(stk_, nullptr));
}

void host::run_as_unit(void* self) {
    auto* h = static_cast<host*>(self);
    worker& w = this_worker();
    h->self_ = w.current;
    h->self_->set(flag_tasklet);  // its own code suspends by suspend_to_parent() only
    h->stacked_ = true;
    h->stk_ = w.current->stk;
    h->stack_class_ = h->stk_->size_class;
    h->parent_ = w.here;
    h->context_ = nullptr;
    w.here = h;
    // The frames below may belong to another unit when the loop ends. So the loop leaves by a jump,
    // and does not return through them.
    const arch::departure end = h->loop();
    arch::lazult_jump(end.to, left_stack, end.argument);
}

// Calls leave() as a unit of the scheduler below, which takes this one for a unit like any other.
template <class Leave>
void host::as_unit_of_parent(Leave&& leave) noexcept {
    worker& before = this_worker();
    gives_way(before);
    before.here = parent_;
    self_->clear(flag_tasklet);
    leave();
    self_->set(flag_tasklet);
    worker& now = this_worker();
    parent_ = now.here;
    now.here = this;
    is_back(now);
}

void host::yield_to_parent() noexcept {
    as_unit_of_parent([] { yield(); });
}

void host::suspend_to_parent(entry_function after, void* argument) noexcept {
    as_unit_of_parent([=] { suspend(after, argument); });
}

// Returns how a unit starts if the technique `wanted` is not possible here, and counts the case: as
// full on a user's stack, else as SS, or as RoC if the host is not stateless.
LAZULT_COLD start_mode host::fall_back(worker& w, const work_unit& u, technique wanted) noexcept {
    if (wanted == technique::full || wanted == technique::run_to_completion) {
        return mode_of(wanted);
    }
    w.count.fallbacks[static_cast<int>(wanted)].increment();
    if (u.has(flag_user_stack)) {
        return start_mode::full;
    }
    return stateless_ ? start_mode::stack_separation : start_mode::return_on_completion;
}

LAZULT_ALWAYS_INLINE start_mode host::choose(worker& w, const work_unit& u) noexcept {
    const technique wanted = u.header.plan;
    if (wanted == technique::scheduler_creation) LAZULT_LIKELY {
        if (stateless_ && u.header.stack_class == stack_class_ && !u.has(flag_user_stack))
            LAZULT_LIKELY {
            return start_mode::scheduler_creation;
        }
        return fall_back(w, u, wanted);
    }
    if (wanted == technique::run_to_completion && u.header.stack_class > stack_class_)
        LAZULT_UNLIKELY {
        w.count.fallbacks[static_cast<int>(wanted)].increment();
        return start_mode::stack_separation;  // merely called, on a stack that is large enough
    }
    if (u.has(flag_user_stack) || (wanted == technique::stack_separation && !stateless_))
        LAZULT_UNLIKELY {
        return fall_back(w, u, wanted);
    }
    return mode_of(wanted);
}

LAZULT_ALWAYS_INLINE work_unit* host::end_of_call(worker& w, work_unit* u) noexcept {
    occupant_ = nullptr;
    w.current = self_;
    u->stk = nullptr;
    return complete(w, u);
}

// For ThreadSanitizer, which takes all units on one stack for one thread: treats a unit that has
// ended without a suspension as if it had suspended, and keeps the stack. Not above an own loop,
// because the tool would count the frames of that loop for ever.
bool host::leaves_stack_to(work_unit* u) noexcept {
    if (!stateless_ || has_own_loop_) {
        return false;
    }
    occupant_ = u;
    promote();
    return true;
}

LAZULT_ALWAYS_INLINE work_unit* host::start_here(worker& w, work_unit* u) noexcept {
    u->stk = stk_;
    occupant_ = u->started == start_mode::scheduler_creation ? u : nullptr;
    w.current = u;
    invoke(u);
    // This may be another stream by now, and this frame may be dead. Only the unit that runs now
    // can tell.
    worker& now = this_worker();
    if (now.current->has(flag_promoted)) LAZULT_UNLIKELY {
        return promoted_unit;
    }
    if (probe::tsan && now.here->leaves_stack_to(now.current)) {
        return promoted_unit;
    }
    return now.here->end_of_call(now, now.current);
}

LAZULT_ALWAYS_INLINE work_unit* host::call_on_stack(worker& w, work_unit* u, bool save) noexcept {
    stack* s = u->stk;
    cleanse(s);
    occupant_ = u;
    w.current = u;
    depart(s, &fake_);
    if (save) {
        arch::lazult_call_saved_from_host(&context_, s->top(), host_entry::called, u);
    } else {
        arch::lazult_call_on(s->top(), host_entry::called, u);
    }
    arrive(take_fake());
    // Either the unit has returned plainly; or (RoC) it has suspended, and the loop was resumed.
    if (occupant_ != u) {
        return nullptr;
    }
    worker& now = this_worker();
    stack_cache::release(s, &now.stacks);
    return end_of_call(now, u);
}

LAZULT_ALWAYS_INLINE work_unit* host::start_on_stack(worker& w, work_unit* u) noexcept {
    stack* s = u->stk;
    cleanse(s);
    occupant_ = nullptr;
    w.current = u;
    void* fake = nullptr;
    depart(s, &fake);
    arch::lazult_start_from_host(&context_, s->top(), &full_unit_entry, u);
    arrive(fake);
    return nullptr;
}

LAZULT_ALWAYS_INLINE work_unit* host::resume(worker& w, work_unit* u) noexcept {
    const arch::context to = u->saved_context();
    u->set_running(w.stream_number());
    occupant_ = nullptr;
    w.current = u;
    *w.error_number = u->error_number;
    void* fake = nullptr;
    depart(u->stk, &fake);
    if (must_be_asked(*u)) LAZULT_UNLIKELY {
        arch::lazult_switch_from_host(&context_, to, ask, u);
    } else {
        arch::lazult_switch_from_host(&context_, to);
    }
    arrive(fake);
    return nullptr;
}

// For a unit that does not start here after all. Returns what this stream runs instead.
LAZULT_COLD work_unit* host::turn_away(worker& w, work_unit* u, start_verdict why) noexcept {
    if (why == start_verdict::moved) {
        make_ready(&w, u);
        return nullptr;
    }
    return complete(w, u);
}

LAZULT_ALWAYS_INLINE work_unit* host::execute(worker& w, work_unit* u) noexcept {
    probe::release(this);  // the loop may go on on another stack
    if (u->context != nullptr) {
        return resume(w, u);
    }
    if (has_requests(*u)) LAZULT_UNLIKELY {
        if (const start_verdict verdict = may_start(*u); verdict != start_verdict::starts) {
            return turn_away(w, u, verdict);
        }
    }
    const start_mode mode = choose(w, *u);
    const bool is_guest =
        mode == start_mode::scheduler_creation || mode == start_mode::run_to_completion;
    if (!is_guest && !has_stack(w, *u)) LAZULT_UNLIKELY {
        return put_off(w, u);
    }
    // The mark must not come earlier: until here the unit may still go back to a pool, where a
    // joiner may claim it. A thread that reads the mark expects no more claims: see
    // is_past_claims().
    u->set_started(running_mark::of(mode, w.stream_number()));
    w.count.started.increment();
    switch (mode) {
        case start_mode::scheduler_creation:
        case start_mode::run_to_completion: return start_here(w, u);
        case start_mode::stack_separation: return call_on_stack(w, u, false);
        case start_mode::return_on_completion: return call_on_stack(w, u, true);
        default: return start_on_stack(w, u);
    }
}

int host::points_until_look() noexcept {
    return period_.longest() == 1 ? 1 : period_.after_look(arch::read_tsc());
}

work_unit* host::choose_next(worker& w) noexcept {
    if (work_unit* u = take_handed_over(); u != nullptr) {
        return u;
    }
    if (loop_is_due()) {
        budget_ = points_until_look() - 1;
        if (work_unit* u = poll(w); u != nullptr) {
            return u;
        }
    }
    return next(w);
}

arch::departure host::loop() noexcept {
    if (has_own_loop_) LAZULT_UNLIKELY {
        own_loop();
        return leave();
    }
    for (;;) {
        worker& w = this_worker();
        probe::acquire(this);
        work_unit* u = choose_next(w);
        if (u == nullptr) LAZULT_UNLIKELY {
            period_.forget_last_look();
            if (!wait(w)) {
                return leave();
            }
            continue;
        }
        --budget_;
        do {
            u = execute(this_worker(), u);
        } while (u != nullptr && u != promoted_unit);
        if (u == promoted_unit) {
            // This frame is not the loop's any more: the unit that ended had kept its stack.
            host::finish_running();
        }
    }
}

void host::run(work_unit* u) noexcept {
    do {
        if (period_.longest() == 1) {
            // the loop is always due; without this the budget would wrap around
            budget_ = 0;
        }
        do {
            u = execute(this_worker(), u);
            if (u == promoted_unit) {
                host::finish_running();
            }
        } while (u != nullptr);
        u = take_handed_over();
    } while (u != nullptr);
}

void host::leave_users_stack(worker& w, work_unit* ended) noexcept {
    leave_for_loop(
        w,
        [](void* unit) {
            worker& now = running_worker();
            if (work_unit* waiting = complete(now, static_cast<work_unit*>(unit));
                waiting != nullptr) {
                make_ready(&now, waiting);
            }
        },
        ended);
}

void host::call_from(worker& w, work_unit* parent, work_unit* child) noexcept {
    stack* s = own_stack_for(w, child);
    cleanse(s);
    child->set_started(running_mark::of(start_mode::return_on_completion, w.stream_number()));
    w.count.started.increment();
    w.current = child;
    host_entry::child_call call{parent, child, parent->home, parent->stk};
    void* fake = nullptr;
    depart(s, &fake);
    arch::lazult_call_saved(&parent->context, s->top(), host_entry::called_first, &call);
    arrive(fake);
    // Reached by a plain return, or because another thread has resumed the parent's saved context.
    // Then `current` is not the child.
    worker& now = this_worker();
    if (now.current != child) {
        return;
    }
    now.current = parent;
    parent->set_running(now.stream_number());
    child->stk = nullptr;
    stack_cache::release(s, &now.stacks);
    if (work_unit* waiting = complete(now, child); waiting != nullptr) {
        make_ready(&now, waiting);
    }
}

void host::finish_running() noexcept {
    worker& w = running_worker();
    work_unit* u = w.current;
    host& h = *w.here;
    if (u->has(flag_user_stack)) LAZULT_UNLIKELY {
        h.leave_users_stack(w, u);
    }
    stack* left = std::exchange(u->stk, nullptr);
    work_unit* next = complete(w, u);
    if (next == nullptr) {
        next = h.pick(w);
    }
    h.leave_for(w, next, left);
}

}  // namespace lazult::core
