// SPDX-License-Identifier: BSD-3-Clause
// Fine grains: a new unit starts at once. Its creator calls it on a stack of the unit's own
// (technique: return on completion). If the unit ends without a suspension, that is a call and a
// return, and its descriptor and its stack are used again while they are warm. If the unit
// suspends, it becomes a thread of its own, and its creator becomes ready, behind the other units
// of its pool. So a creator of units that block lets older units run before it makes more.
//
// A creator waits below the call. Its host lists it, the newest first. It is in no pool, so no
// stream can take it. A unit above it may wait for something that the creator does. So all creators
// become ready at the first suspension above them (host::promote), and also at a yield that finds
// no other unit. A host with creators is not idle. See docs/techniques.md, "Starting at once".
#pragma once

#include <bit>
#include <cstdint>

#include "lazult/core/observe/observer.hpp"
#include "lazult/core/switch/creators.hpp"
#include "lazult/core/switch/finish.hpp"
#include "lazult/core/switch/host.hpp"
#include "lazult/core/switch/suspend.hpp"

namespace lazult::core {

enum class start_at_once : std::uint8_t {
    refused,  // nothing was done: launch the unit as usual
    ended,    // the unit has ended, and is freed or kept
    goes_on,  // the unit has suspended; it is listed, or has been joined
};

// Returns whether the running unit may call new units at once.
LAZULT_ALWAYS_INLINE bool may_call_at_once(const worker& w) noexcept {
    const work_unit* const creator = w.current;
    return creator != nullptr && !creator->has(flag_tasklet) && !is_watched_unit(*creator) &&
           !has_own_words(w) && !w.exceptions->any();
}
// Returns whether a new unit may be called at once: not if its technique promises it all registers
// from the start; nor if it has a user's stack, or is a tasklet, which could not wait for what its
// creator holds.
LAZULT_ALWAYS_INLINE bool may_be_called_at_once(const unit_header& header) noexcept {
    return header.how != technique::full && header.how != technique::lazy_stack &&
           (header.flags & (flag_tasklet | flag_user_stack)) == 0;
}

// Runs the unit, on its own stack. The argument is a call_at_once.
void run_unit_at_once(void* call);
// Continues the creator, maybe on another stream, after a call that did not just return.
start_at_once go_on_after_promotion(work_unit* creator, const call_at_once& call);

// Makes the creator the running unit again. The unit has ended as a call ends: on the same OS
// thread, and no other thread knows it. take_back() then frees the unit.
LAZULT_ALWAYS_INLINE void come_back(worker& w, const call_at_once& call) noexcept {
    w.current = call.creator;
    *w.error_number = call.error_number;
}
LAZULT_ALWAYS_INLINE void take_back(worker& w, const call_at_once& call, stack* left) noexcept {
    work_unit* const u = call.unit;
    if (!w.stacks.keep_at_once(left)) LAZULT_UNLIKELY {
        stack_cache::release(left, &w.stacks);
    }
    probe::acquire(u);  // what the unit did comes before what its creator does next
    probe::release(u);  // pairs with: the thread that prepares it again
    dispose(w, u);
}

LAZULT_ALWAYS_INLINE void host::call_unit(worker& w, call_at_once& call, stack* s) noexcept {
    cleanse(s);
    work_unit* const u = call.unit;
    u->stk = s;
    u->set_started(running_mark::of(start_mode::return_on_completion, w.stream_number()));
    w.count.started.increment();
    w.current = u;
    call.below = calls_;
    call.occupant = occupant_;
    calls_ = &call;
    occupant_ = u;
    void* fake = nullptr;
    depart(s, &fake);
    arch::lazult_call_saved(&call.context, s->top(), run_unit_at_once, &call);
    arrive(fake);
    if (call.unit_fate == call_at_once::fate::returns) LAZULT_LIKELY {
        calls_ = call.below;
        occupant_ = call.occupant;
    }
}

// Returns whether a unit that has returned from its call can be called again on this stack with
// just another argument. `before` is the header that it had. What a unit gets while it runs, such
// as local values, extras or requests, shows in its header or in its words, unless it has
// suspended. A stack's canary is checked when the stack is released, so a stack with a canary is
// not kept. Sanitizers need a notice of each unit, so under them no unit is kept.
LAZULT_ALWAYS_INLINE bool can_be_called_again(const work_unit& u, std::uint64_t before,
                                              const stack& s) noexcept {
    return !probe::asan && !probe::tsan && std::bit_cast<std::uint64_t>(u.header) == before &&
           u.has_clear_words() && s.recycle_class != 0;
}

// Returns whether a creator of units that never suspend must yield: once in 1,024 units, for events
// and other pools; and if it has requests.
LAZULT_ALWAYS_INLINE bool is_turn_over(const worker& w, const work_unit& creator) noexcept {
    constexpr std::uint64_t units_of_a_turn = 1024;
    return has_demands(creator) || w.count.started.get() % units_of_a_turn == 0;
}

// Calls a prepared unit, which no other thread knows yet, on the stack `s`. may_call_at_once() and
// may_be_called_at_once() must have returned true. The caller may come back on another stream. Then
// it has honoured its requests, which may throw exit_unwind.
//
// If `again` is given, a unit that returns as it was called is not freed: *again is then that unit,
// with its stack. The creator may give it an argument and clear words, set *again to null, and call
// it as a new one. Or it frees the unit by drop_kept_unit().
LAZULT_ALWAYS_INLINE start_at_once call_new_unit_on(worker& w, work_unit* u, stack* s,
                                                    call_at_once::lister list, void* argument,
                                                    work_unit** again) {
    work_unit* const creator = w.current;
    const auto header = std::bit_cast<std::uint64_t>(u->header);
    call_at_once call;
    call.creator = creator;
    call.unit = u;
    call.list = list;
    call.argument = argument;
    call.error_number = *w.error_number;
    call.unit_fate = call_at_once::fate::returns;
    probe::release(u);
    w.here->call_unit(w, call, s);
    if (call.unit_fate != call_at_once::fate::returns) LAZULT_UNLIKELY {
        return go_on_after_promotion(creator, call);
    }
    come_back(w, call);
    if (again != nullptr && can_be_called_again(*u, header, *s)) LAZULT_LIKELY {
        // no other thread finds the unit meanwhile, as if it were freed
        u->set_state(life_state::unused);
        *again = u;
    } else {
        take_back(w, call, s);
    }
    if (is_turn_over(w, *creator)) LAZULT_UNLIKELY {
        yield();
    }
    return start_at_once::ended;
}

LAZULT_ALWAYS_INLINE start_at_once call_new_unit(worker& w, work_unit* u, call_at_once::lister list,
                                                 void* argument, work_unit** again = nullptr) {
    stack* const s = u->stk != nullptr ? u->stk : w.stacks.allocate_inline(u->header.stack_class);
    if (s == nullptr) LAZULT_UNLIKELY {
        return start_at_once::refused;
    }
    return call_new_unit_on(w, u, s, list, argument, again);
}

// Frees a unit that call_new_unit() has kept, on any thread, while no other uses *again. `w` may be
// null.
LAZULT_NOINLINE void drop_kept_unit(worker* w, work_unit* u) noexcept;

}  // namespace lazult::core
