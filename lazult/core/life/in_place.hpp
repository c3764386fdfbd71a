// SPDX-License-Identifier: BSD-3-Clause
// A joiner runs its child itself. Nothing needs saving for that, because the joiner waits for the
// child anyhow. So the child may use the joiner's stack (SC, RtC), if that has as much left as the
// child is promised, or it may be called on a stack of its own. It returns into the joiner's frame
// when it ends, however often and wherever it suspended in between.
// Source: DESIGN, "Join".
#pragma once

#include "lazult/core/switch/finish.hpp"
#include "lazult/core/unit/claims.hpp"
#include "lazult/core/worker/pool.hpp"
#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Whether nothing forbids a run in place. A request to the child would have to be honoured first.
// An exception in flight, or other control words, belong to the joiner and would be the child's,
// too.
inline bool can_run_inline(const worker& w, const work_unit& child) noexcept {
    return !has_requests(child) && !has_own_words(w) && !w.exceptions->any();
}

// Whether the caller may call a unit that is ready here.
LAZULT_ALWAYS_INLINE bool may_call(const worker& w, const work_unit* joiner,
                                   const work_unit& u) noexcept {
    return joiner != nullptr && !joiner->has(flag_tasklet) && can_run_inline(w, u);
}

// A child is promised seven eighths of its stack size, wherever it runs: the joiner's stack must
// have as much left. The last eighth is for what stands above the child: a stack's header, and, on
// a stack of the same size, the frames of joiners. Returns false for a child that has started, or
// that has a technique with a stack of its own. Returns false always under ThreadSanitizer, which
// would take both units for one thread.
LAZULT_ALWAYS_INLINE bool has_headroom(const work_unit& joiner, const work_unit& child) noexcept {
    constexpr std::size_t promised_eighths = 7;
    return !probe::tsan && joiner.stk->headroom_below(arch::stack_position()) >>
                               child.header.headroom_class >= promised_eighths;
}

// Ends a child in place that left more to do: ULT-local values, or suspensions, after which the
// joiner may be on another stream than it began on. Returns the joiner's worker.
worker& end_in_place_slowly(work_unit* joiner, work_unit* child, int error_number);
// The same, and frees the child.
worker& end_freed_in_place_slowly(work_unit* joiner, work_unit* child, int error_number);

// What becomes of a child that has run in place: somebody may still use its handle (kept), it is
// freed, or the caller frees it at once. In the last two cases its state and its join word need not
// say that it has ended.
enum class afterwards : std::uint8_t { kept, freed, left_to_caller };

// Returns the joiner's worker, which may be another one than `w`.
template <afterwards what = afterwards::kept>
LAZULT_ALWAYS_INLINE worker& back_in_joiner(worker& w, work_unit* joiner, work_unit* child,
                                            int error_number) {
    if (has_own_words(w)) LAZULT_UNLIKELY {
        arch::lazult_reset_control_words();
    }
    if (child->has(flag_suspended | flag_locals)) LAZULT_UNLIKELY {
        return what == afterwards::freed ? end_freed_in_place_slowly(joiner, child, error_number)
                                         : end_in_place_slowly(joiner, child, error_number);
    }
    w.current = joiner;
    *w.error_number = error_number;
    if constexpr (what == afterwards::freed) {
        probe::release(child);  // pairs with: the thread that prepares it again
        dispose(w, child);      // it owns no stack, and nobody is to find it finished
    } else if constexpr (what == afterwards::kept) {
        child->stk = nullptr;
        child->set_state(life_state::finished);
        child->join.finish_in_place();
    }
    return w;
}

// Claims a child of the joiner's own lane, so that the joiner may run it. Returns true if nobody
// else waits for the child: its join word now names the joiner. Returns false otherwise: then the
// child is as it was.
LAZULT_ALWAYS_INLINE bool claim(const worker& w, work_unit* joiner, work_unit* child) noexcept {
    return claim_marked(*child, w.in_place_mark, reinterpret_cast<join_word<>::value>(joiner));
}

// Calls the child on the joiner's stack. The child's join word already names the joiner. Returns
// the joiner's worker, which may be another one than `w`.
template <afterwards what = afterwards::kept>
LAZULT_ALWAYS_INLINE worker& call_here(worker& w, work_unit* joiner, work_unit* child) {
    const int error_number = *w.error_number;
    child->stk = joiner->stk;
    w.count.started.increment();
    w.current = child;
    run_entry(child);
    return back_in_joiner<what>(w, joiner, child, error_number);
}

// Whether a unit that would be called on its joiner's stack, which has no room for it, may be
// called on a stack of its own instead. Not under ThreadSanitizer, where joiners' stacks never have
// room and such units are started by schedulers.
inline bool may_be_called_apart(const work_unit& u) noexcept {
    return !probe::tsan && runs_on_caller(u.header.plan) && u.context == nullptr;
}
// Makes a unit ready again that was taken and could not be claimed.
void give_back(worker& w, work_unit* u) noexcept;

// Runs the oldest unit of the lane in place, after is_oldest_here() (join.hpp) has returned true.
// Returns false if the unit must not be called here, or a thief has it, or somebody waits for it
// already. Then the unit is as it was.
template <afterwards what = afterwards::kept>
bool run_oldest_in_place(worker& w, work_unit* u);
// As run_newest_in_place() and run_next_in_place() (join.hpp), of a unit that may be called, but
// for which the joiner's stack has no room. Apart from them, because they are inlined, and this is
// a few instructions more.
template <afterwards what>
bool run_newest_apart(worker& w, work_unit* u);
template <afterwards what>
bool run_next_apart(worker& w, pool& own, work_unit* u);

// Takes a unit that has not started out of its pool and runs it to its end. False when it is not
// next in line there, or its technique or its stack forbids it: then the caller waits as usual.
bool start_in_place(worker& w, work_unit* u);

// Of start_in_place what follows when the unit has been taken and claimed, and is not to be called
// on the joiner's stack.
bool start_taken(worker& w, work_unit* joiner, work_unit* u);

}  // namespace lazult::core
