// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/suspend.hpp"

#include "lazult/core/switch/give_up.hpp"
#include "lazult/core/switch/honour.hpp"
#include "lazult/core/switch/leave.hpp"

namespace lazult::core {
namespace {

void check_requests(work_unit& self) {
    if (has_requests(self)) LAZULT_UNLIKELY {
        honour_requests(self);
    }
}

void push_parent(void* parent) noexcept {
    auto* u = static_cast<work_unit*>(parent);
    probe::release(u);
    u->home->push_parent(this_worker_or_null(), u);
}

void give_way(worker& w, work_unit* self, work_unit* next) {
    self->set_state(life_state::ready);
    self->clear(flag_joins_many);
    if (self->home->is_private_to(&w)) LAZULT_LIKELY {
        probe::release(self);
        self->home->push(&w, self);
        give_up_to<suspension_reason::yields>(w, self, next, nullptr, nullptr);
    } else {
        give_up_to<suspension_reason::yields>(w, self, next, push_self, self);
    }
    check_requests(*self);
}

// Called for a unit that yields while no other unit is ready here. Returns whether the unit may
// just go on, because its pool would only give it back.
bool goes_on(const worker& w, const work_unit& self) noexcept {
    return !w.here->loop_is_due() && (self.home->serves(w) || (!self.home->hears_of_yields() &&
                                                               w.here->serves(w, *self.home)));
}

LAZULT_NOINLINE void yield_slowly(worker& w, work_unit* self) {
    work_unit* next = w.here->pick(w);
    if (next == nullptr && w.here->keeps_work_below()) LAZULT_UNLIKELY {
        w.here->settle();  // the unit may wait for what stands below it
        next = w.here->pick(w);
    }
    if (next != nullptr || !goes_on(w, *self)) {
        give_way(w, self, next);
    }
}

LAZULT_COLD void yield_with_requests(work_unit& self) {
    worker& w = running_worker();
    if (host::runs_own_code(w) && w.here->is_stacked()) {
        w.here->yield_to_parent();
    } else if (self.may_suspend()) {
        honour_requests(self);
        yield_slowly(running_worker(), &self);
    }
}

// Returns the caller's worker if the caller is a unit that may suspend; else nullptr.
LAZULT_ALWAYS_INLINE worker* worker_to_suspend() noexcept {
    worker* w = this_worker_or_null();
    const bool can = w != nullptr && w->current != nullptr && w->current->may_suspend() &&
                     w->here != nullptr && w->current != w->here->self_unit();
    return can ? w : nullptr;
}

}  // namespace

bool can_suspend() noexcept { return worker_to_suspend() != nullptr; }

namespace {

template <suspension_reason why>
LAZULT_ALWAYS_INLINE void suspend_because(entry_function after, void* argument) {
    worker& w = this_worker();
    work_unit* self = w.current;
    self->set_state(life_state::blocked);
    if constexpr (why != suspension_reason::joins) {
        self->clear(flag_joins_many);
    }
    const auto tell = [after, argument]() noexcept { trace_suspend(after, argument); };
    give_up_to<why>(w, self, w.here->pick(w), after, argument, tell);
    check_requests(*self);
}

}  // namespace

void suspend_in_join(entry_function after, void* argument) {
    suspend_because<suspension_reason::joins>(after, argument);
}

void suspend(entry_function after, void* argument) {
    suspend_because<suspension_reason::waits>(after, argument);
}

void suspend_into(work_unit* fresh) {
    worker& w = this_worker();
    work_unit* self = w.current;
    self->set_state(life_state::blocked);
    const auto tell = [fresh]() noexcept { trace_join(joined::all, &fresh, 1); };
    give_up_to<suspension_reason::joins>(w, self, fresh, nullptr, nullptr, tell);
    check_requests(*self);
}

namespace {

// push_parent() by the unit itself, before its switch.
LAZULT_ALWAYS_INLINE void push_leaving_parent(worker& w, work_unit* self) noexcept {
    if (may_push_in_lane(&w, self)) LAZULT_LIKELY {
        w.lane->push_into_room(self);
    } else {
        self->home->push_parent(&w, self);
    }
}

}  // namespace

bool suspend_parent_into(work_unit* fresh) {
    worker* const mine = worker_to_suspend();
    if (mine == nullptr) LAZULT_UNLIKELY {
        return false;
    }
    worker& w = *mine;
    work_unit* self = w.current;
    // flag_locals marks a traced child: the loop starts it, because the loop records the start
    const bool returns = fresh->header.plan != technique::full &&
                         fresh->header.plan != technique::lazy_stack &&
                         !fresh->has(flag_user_stack | flag_locals) && !has_own_words(w);
    if (!returns && may_leave_at_once(w, self)) LAZULT_LIKELY {
        // Only this OS thread uses the worker until the switch. A thief that takes the creator
        // waits in saved_context().
        leave_published<suspension_reason::runs_child>(
            w, self, fresh, [mine, self]() noexcept { push_leaving_parent(*mine, self); });
    } else {
        self->set_state(life_state::ready);
        give_up<suspension_reason::runs_child>(w, self, [&](host& h) {
            if (returns) {
                h.call_from(w, self, fresh);
            } else {
                h.switch_from(w, self, fresh, push_parent, self);
            }
        });
    }
    check_requests(*self);
    return true;
}

namespace {

LAZULT_NOINLINE void give_way_to_loop(worker& w, work_unit* self, work_unit* next) {
    self->clear(flag_tail_yield);
    w.here->switch_to_loop(w, self, next, nullptr, nullptr);
    check_requests(*self);
}

// give_way() for a unit that has nothing left to do when it is resumed: its resumer sets errno, and
// looks at its requests (host.hpp, find_target() and must_be_asked()). So the switch is in tail
// position, and resumes yield()'s caller by a jump. A return through this function would be
// mispredicted.
LAZULT_ALWAYS_INLINE void give_way_in_tail_position(worker& w, work_unit* self, work_unit* next) {
    self->set_state(life_state::ready);
    self->header.flags =
        static_cast<std::uint8_t>((self->header.flags & ~flag_joins_many) | flag_tail_yield);
    if (!self->has(flag_suspended)) {
        note_first_suspension(w, *self, suspension_reason::yields);
    }
    w.here->settle();
    self->error_number = *w.error_number;
    w.count.suspensions.increment();
    arch::context to = nullptr;
    const arch::entry_record* fresh = nullptr;
    if (!host::find_target(w, next, to, fresh)) LAZULT_UNLIKELY {
        give_way_to_loop(w, self, next);
        return;
    }
    arch::lazult_switch(&self->context, to, nullptr, nullptr, fresh, next);
}

constexpr bool yields_in_tail_position = publishes_before_leaving;

}  // namespace

// Not inlined: an exception thrown into the suspended unit passes where yield()'s frame was.
LAZULT_NOINLINE void yield() {
    worker* w = this_worker_or_null();
    if (w == nullptr || w->current == nullptr) LAZULT_UNLIKELY {
        os::yield_thread();
        return;
    }
    work_unit* self = w->current;
    if (self->has(flag_tasklet) || has_requests(*self)) LAZULT_UNLIKELY {
        yield_with_requests(*self);
        return;
    }
    if (!yields_in_tail_position || w->exceptions->any()) LAZULT_UNLIKELY {
        yield_slowly(*w, self);
        return;
    }
    work_unit* next = w->here->pick_for(*w, self);
    if (next == nullptr) LAZULT_UNLIKELY {
        yield_slowly(*w, self);
        return;
    }
    give_way_in_tail_position(*w, self, next);
}

bool is_yield_to_next(const worker& w, const work_unit* target) noexcept {
    const work_unit* self = w.current;
    return yields_in_tail_position && self != nullptr && w.here != nullptr &&
           w.here->is_next_of(w, *self, target) && !self->has(flag_tasklet) &&
           !has_requests(*self) && !w.exceptions->any();
}

// Not inlined, for the reason given at yield().
LAZULT_NOINLINE void yield_to_next(worker& w) {
    work_unit* self = w.current;
    give_way_in_tail_position(w, self, self->home->rotate(self));
}

LAZULT_COLD bool remove_kept(worker& w, work_unit* target) noexcept {
    pool& home = *target->home;
    if (!home.may_run_on(w, *target) || !home.remove(target)) {
        return false;
    }
    if (home.may_run_on(w, *target)) LAZULT_LIKELY {
        return true;
    }
    home.push(&w, target);  // it has begun elsewhere meanwhile
    return false;
}

base::status yield_to(work_unit* target) {
    worker* const w = worker_to_suspend();
    if (w == nullptr) LAZULT_UNLIKELY {
        return base::status::cannot_suspend;
    }
    if (target == w->current) {
        return base::status::ok;
    }
    if (!target->home->take(*w, target) && !remove_to_run(*w, target)) {
        yield();
        return base::status::ok;
    }
    give_way(*w, w->current, target);
    return base::status::ok;
}

base::status switch_to(work_unit* target) {
    worker* const w = worker_to_suspend();
    if (w == nullptr) LAZULT_UNLIKELY {
        return base::status::cannot_suspend;
    }
    give_way(*w, w->current, target);
    return base::status::ok;
}

namespace {

LAZULT_NOINLINE void park_slowly(worker& w, work_unit* self, work_unit* target) {
    if (self->park.try_consume()) {
        give_way(w, self, target);
    } else {
        self->set_state(life_state::blocked);
        self->clear(flag_joins_many);
        give_up_to<suspension_reason::waits>(w, self, target, commit_park, self, trace_park);
        check_requests(*self);
    }
    probe::acquire(&self->park);
}

}  // namespace

base::status park_to(work_unit* target) {
    worker* const w = worker_to_suspend();
    if (w == nullptr) LAZULT_UNLIKELY {
        return base::status::cannot_suspend;
    }
    work_unit* const self = w->current;
    if (!may_leave_at_once(*w, self) || self->park.has_token()) LAZULT_UNLIKELY {
        park_slowly(*w, self, target);
        return base::status::ok;
    }
    leave_published<suspension_reason::waits>(
        *w, self, target, [self]() noexcept { commit_park(self); }, trace_park);
    check_requests(*self);
    return base::status::ok;
}

void exit_to(work_unit* target) { throw exit_unwind(target); }

}  // namespace lazult::core
