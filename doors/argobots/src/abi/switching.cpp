// SPDX-License-Identifier: BSD-3-Clause
// Yielding, suspending and ending, also in favour of a unit that the caller names.
#include <atomic>

#include "pools/pool_content.hpp"
#include "pools/unit.hpp"
#include "schedulers/sched_user.hpp"
#include "sync/waiting.hpp"

using namespace lazult::abt;

namespace {

LAZULT_COLD void yield_traced(work_unit& self) {
    tell(ABT_TOOL_EVENT_THREAD_YIELD, self);
    core::yield();
    tell(ABT_TOOL_EVENT_THREAD_RUN, self);
}

// The caller is a ULT.
void yield_caller(const caller& me) {
    if (tools_are_on()) LAZULT_UNLIKELY {
        yield_traced(*me.unit);
        return;
    }
    core::yield();
}

// Checks a call of ABT_self_yield_to, or of another function that switches to a given unit.
// Returns ABT_SUCCESS if the call is allowed, and else the error that the function returns.
LAZULT_ALWAYS_INLINE int refusal_of(const caller& me, const work_unit* target) noexcept {
    if (!me.is_ult()) LAZULT_UNLIKELY {
        return me.is_outside() ? ABT_ERR_INV_XSTREAM : ABT_ERR_INV_THREAD;
    }
    const bool is_target_bad = target == nullptr || is_tasklet(*target) || target == me.unit ||
                               has_bit(*target, abt_main_scheduler);
    return is_target_bad ? ABT_ERR_INV_THREAD : ABT_SUCCESS;
}

// Does what refusal_of() does, for calls that end the caller. The primary ULT may not end.
int refusal_of_end(const caller& me, const work_unit* target) noexcept {
    const int code = refusal_of(me, target);
    return code == ABT_SUCCESS && has_bit(*me.unit, abt_primary) ? ABT_ERR_INV_THREAD : code;
}

// Changes a suspended unit's state to ready. The caller must then resume the unit. Returns false if
// the unit was not suspended, or if another thread has changed its state first.
LAZULT_ALWAYS_INLINE bool claim_suspended(work_unit& u) noexcept {
    auto expected = static_cast<std::uint8_t>(core::life_state::blocked);
    // relaxed: the winner calls unpark() next, and that orders the two threads
    return lazult::ds::swap_if<lazult::ds::default_atomics>(
        u.life, expected, static_cast<std::uint8_t>(core::life_state::ready),
        std::memory_order_relaxed, std::memory_order_relaxed);
}

// Takes a suspended unit, for the caller to run it. Waits until the unit has left its stack.
// Returns false if the unit is not suspended, or if another thread resumes it.
LAZULT_ALWAYS_INLINE bool take_suspended(work_unit& u) noexcept {
    if (!claim_suspended(u)) LAZULT_UNLIKELY {
        return false;
    }
    while (!u.park.is_parked()) LAZULT_UNLIKELY {
        os::yield_thread();
    }
    probe::release(&u.park);
    u.park.unpark();
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_RESUME, u);
    }
    return true;
}

// Yields to `target`, which is ready and in no pool. If the core cannot switch to it directly,
// makes it ready and yields.
void switch_to(const caller& me, work_unit& target, push_context how) {
    work_unit& self = *me.unit;
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_YIELD, self);
    }
    set_context(self, how);
    if (core::switch_to(&target) != base::status::ok) LAZULT_UNLIKELY {
        core::make_ready(me.w, &target);
        core::yield();
    }
    set_context(self, push_context::resume);
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_RUN, self);
    }
}

// Called when the unit has left its stack. If the unit was resumed before that, makes it ready.
void commit(void* unit) noexcept {
    auto* u = static_cast<work_unit*>(unit);
    if (!u->park.commit()) {
        core::make_ready(core::this_worker_or_null(), u);
    }
}

// Suspends a scheduler's own code. A stacked scheduler suspends the unit that stands for it, and
// the scheduler below goes on. A main scheduler has no scheduler below, so it polls.
LAZULT_COLD void suspend_own_code(const caller& me) {
    work_unit& self = *me.unit;
    const bool may_suspend = me.w->here->is_stacked();
    while (!self.park.try_consume()) {
        self.set_state(core::life_state::blocked);
        if (may_suspend) {
            me.w->here->suspend_to_parent(commit, &self);
            return;
        }
        os::yield_thread();
    }
    self.set_state(core::life_state::running);
}

void suspend(const caller& me) {
    if (core::host::runs_own_code(*me.w)) LAZULT_UNLIKELY {
        suspend_own_code(me);
        return;
    }
    core::park();
}

// Returns true if `target` is a ULT that is next in the caller's own pool, and no tool listens. A
// unit found there is live, so the handle needs no other check.
bool is_next_ult(const caller& me, const work_unit* target) noexcept {
    return me.is_ult() && target != nullptr && !tools_are_on() &&
           core::is_yield_to_next(*me.w, target) && has_bit(*target, abt_unit) &&
           !is_tasklet(*target) && target->home == me.unit->home;
}

// This function makes its own `caller`. If it took one by reference, the compiler would keep that
// object in memory instead of in registers, in each function that calls this one.
LAZULT_COLD void suspend_before(work_unit& target) {
    const caller me = this_caller();
    core::make_ready(me.w, &target);
    suspend(me);
}

// The caller is a ULT.
LAZULT_ALWAYS_INLINE void suspend_to(const caller& me, work_unit& target) {
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_USER, nullptr);
    if (core::park_to(&target) != base::status::ok) LAZULT_UNLIKELY {
        suspend_before(target);
    }
}

}  // namespace

extern "C" {

int ABT_thread_yield(void) {
    const caller me = this_caller();
    if (me.is_ult()) LAZULT_LIKELY {
        yield_caller(me);
    }
    return ABT_SUCCESS;
}

int ABT_self_yield(void) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    if (me.is_ult()) LAZULT_LIKELY {
        yield_caller(me);
    }
    return ABT_SUCCESS;
}

int ABT_thread_yield_to(ABT_thread thread) {
    const caller me = this_caller();
    if (is_next_ult(me, reinterpret_cast<work_unit*>(thread))) LAZULT_LIKELY {
        core::yield_to_next(*me.w);
        return ABT_SUCCESS;
    }
    if (me.is_outside() || me.is_tasklet()) {
        return ABT_SUCCESS;
    }
    work_unit* target = checked_thread(thread);
    const int code = refusal_of(me, target);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    ABT_GIVE_UP_UNLESS(can_remove(*target->home), ABT_ERR_POOL);
    if (target->state() == core::life_state::ready && core::remove_to_run(*me.w, target)) {
        switch_to(me, *target, push_context::yield_to);
    }
    return ABT_SUCCESS;
}

int ABT_self_yield_to(ABT_thread thread) {
    const caller me = this_caller();
    work_unit* target = checked_thread(thread);
    const int code = refusal_of(me, target);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    switch_to(me, *target, push_context::yield_to);
    return ABT_SUCCESS;
}

int ABT_self_resume_yield_to(ABT_thread thread) {
    const caller me = this_caller();
    work_unit* target = checked_thread(thread);
    const int code = refusal_of(me, target);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    ABT_GIVE_UP_UNLESS(take_suspended(*target), ABT_ERR_INV_THREAD);
    switch_to(me, *target, push_context::resume_yield_to);
    return ABT_SUCCESS;
}

int ABT_self_suspend(void) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_USER, nullptr);
    suspend(me);
    return ABT_SUCCESS;
}

int ABT_self_suspend_to(ABT_thread thread) {
    const caller me = this_caller();
    work_unit* target = checked_thread(thread);
    const int code = refusal_of(me, target);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    suspend_to(me, *target);
    return ABT_SUCCESS;
}

int ABT_self_resume_suspend_to(ABT_thread thread) {
    const caller me = this_caller();
    work_unit* target = checked_thread(thread);
    const int code = refusal_of(me, target);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    ABT_GIVE_UP_UNLESS(take_suspended(*target), ABT_ERR_INV_THREAD);
    suspend_to(me, *target);
    return ABT_SUCCESS;
}

int ABT_self_exit_to(ABT_thread thread) {
    const caller me = this_caller();
    work_unit* target = checked_thread(thread);
    const int code = refusal_of_end(me, target);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    core::exit_to(target);
}

int ABT_self_resume_exit_to(ABT_thread thread) {
    const caller me = this_caller();
    work_unit* target = checked_thread(thread);
    const int code = refusal_of_end(me, target);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    ABT_GIVE_UP_UNLESS(take_suspended(*target), ABT_ERR_INV_THREAD);
    core::exit_to(target);
}

int ABT_thread_resume(ABT_thread thread) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr && !is_tasklet(*u), ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(claim_suspended(*u), ABT_ERR_THREAD);
    core::unpark(u);
    return ABT_SUCCESS;
}

int ABT_self_schedule(ABT_thread thread, ABT_pool pool) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr && u != me.unit, ABT_ERR_INV_THREAD);
    if (lazult::sched::ready_pool* home = checked_pool(pool); home != nullptr) {
        const int code = associate(*u, *home);
        ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    }
    run_child(me, *u);
    return ABT_SUCCESS;
}
}
