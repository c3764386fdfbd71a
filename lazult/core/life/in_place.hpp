// SPDX-License-Identifier: BSD-3-Clause
// A joiner runs its child itself. Nothing needs saving for that, because the joiner waits for the
// child anyhow. The child is called on the joiner's stack (scheduler_creation, run_to_completion),
// if as much is left there as the child is promised, and otherwise on a stack of its own. It
// returns into the joiner's frame when it ends, however often and wherever it suspended in between.
// See docs/techniques.md, "Joining in place".
#pragma once

#include "lazult/core/switch/finish.hpp"
#include "lazult/core/unit/claims.hpp"

namespace lazult::core {

// Returns whether nothing forbids a run in place. Requests to the child would have to be honoured
// first. The joiner's exceptions in flight and changed control words would be the child's, too.
inline bool can_run_inline(const worker& w, const work_unit& child) noexcept {
    return !has_requests(child) && !has_own_words(w) && !w.exceptions->any();
}

// Returns whether `joiner` may call `u`, apart from the room on its stack. `joiner` is what runs on
// `w`, or null. `u` is ready in the lane, or in the private pool, of the stream of `w`.
LAZULT_ALWAYS_INLINE bool may_call(const worker& w, const work_unit* joiner,
                                   const work_unit& u) noexcept {
    return joiner != nullptr && !joiner->has(flag_tasklet) && can_run_inline(w, u);
}

// Returns whether the joiner's stack has as much left as the child is promised wherever it runs:
// seven eighths of its stack size. The last eighth is for what stands above the child: a stack's
// header, and, on a stack of the same size, the frames of joiners. Returns false for a child that
// has started, or that has a technique with a stack of its own. Returns false always under
// ThreadSanitizer, which would take both units for one thread.
LAZULT_ALWAYS_INLINE bool has_headroom(const work_unit& joiner, const work_unit& child) noexcept {
    constexpr std::size_t promised_eighths = 7;
    return !probe::tsan && joiner.stk->headroom_below(arch::stack_position()) >>
                               child.header.headroom_class >= promised_eighths;
}

// Ends a child in place that has ULT-local values, or that has suspended, so that the joiner may be
// on another stream than it began on. Returns the joiner's worker.
worker& end_in_place_slowly(work_unit* joiner, work_unit* child, int error_number);
// Calls end_in_place_slowly(), and frees the child.
worker& end_freed_in_place_slowly(work_unit* joiner, work_unit* child, int error_number);

// What becomes of a child that has run in place: it is kept, because its handle may still be used,
// or it is freed, or the caller frees it at once. In the last two cases its state and its join word
// need not say that it has ended.
enum class afterwards : std::uint8_t { kept, freed, left_to_caller };

// Makes the joiner the running unit again after the child has returned. Returns the joiner's
// worker, which may be another one than `w`.
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
        dispose(w, child);      // it owns no stack, and no thread asks whether it has finished
    } else if constexpr (what == afterwards::kept) {
        child->stk = nullptr;
        child->set_state(life_state::finished);
        child->join.finish_in_place();
    }
    return w;
}

// Claims a child of the joiner's own lane, so that the joiner may run it. Returns true if no joiner
// was registered: the child's join word now names `joiner`. Returns false otherwise: then the child
// is as it was.
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

// Returns whether a unit for which the joiner's stack has no room may be called on a stack of its
// own instead. Not under ThreadSanitizer, where joiners' stacks never have room: schedulers start
// such units.
inline bool may_be_called_apart(const work_unit& u) noexcept {
    return !probe::tsan && runs_on_caller(u.header.plan) && u.context == nullptr;
}
// Makes a unit ready again that was taken but could not be claimed.
void give_back(worker& w, work_unit* u) noexcept;

// Runs the oldest unit of the lane in place, after is_oldest_here() (join.hpp) has returned true.
// Returns false, and leaves the unit as it was, if the unit must not be called here, a thief has
// it, or a joiner is registered already.
template <afterwards what = afterwards::kept>
bool run_oldest_in_place(worker& w, work_unit* u);
// run_newest_in_place() and run_next_in_place() (join.hpp) call these for a unit that may be
// called, but for which the joiner's stack has no room. Apart, because those are inlined.
template <afterwards what>
bool run_newest_apart(worker& w, work_unit* u);
template <afterwards what>
bool run_next_apart(worker& w, pool& own, work_unit* u);

// Takes a unit that has not started out of its pool and runs it to its end. Returns false if the
// unit is not next in line there, or its technique or its stack forbids it: then the caller waits
// as usual.
bool start_in_place(worker& w, work_unit* u);

// The rest of start_in_place(), for a unit that has been taken and claimed, and is not to be called
// on the joiner's stack. Returns false if there is no stack for the unit, which is then ready
// again.
bool start_taken(worker& w, work_unit* joiner, work_unit* u);

}  // namespace lazult::core
