// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/at_once.hpp"

#include "lazult/core/finish.hpp"
#include "lazult/core/host.hpp"
#include "lazult/core/join.hpp"
#include "lazult/core/leave.hpp"
#include "lazult/core/steal_lane.hpp"
#include "lazult/core/suspend.hpp"

namespace lazult::core {
namespace {

// The creator waits for a unit that found no room in its list, and frees it. Nobody else knows the
// unit.
LAZULT_COLD void join_unlisted(work_unit* u) {
    const cancellation_mask here;  // a cancellation would leave the unit to nobody
    join(u);
    probe::release(u);  // pairs with: the thread that prepares it again
    dispose(running_worker(), u);
}

// When these units end, they do not return to their creators. Returns the occupant before the
// oldest call.
work_unit* cut_off(call_at_once* calls, const arch::flow& end) noexcept {
    work_unit* occupant = nullptr;
    for (call_at_once* call = calls; call != nullptr; call = call->below) {
        // pairs with: call_new_unit(). The creator has written the list before it.
        probe::acquire(call->unit);
        using fate = call_at_once::fate;
        const bool is_listed = call->list(call->argument, call->unit);
        call->unit_fate = is_listed ? fate::is_listed : fate::is_not_listed;
        call->unit->set(flag_promoted);
        arch::lazult_redirect_return(call->unit->stk->top(), &end);
        occupant = call->occupant;
    }
    return occupant;
}

// The record is in the creator's frame. It may be gone when the creator is ready.
void free_creator(worker& w, const call_at_once& call) noexcept {
    work_unit& creator = *call.creator;
    creator.context = call.context;
    creator.error_number = call.error_number;
    creator.clear(flag_joins_many | flag_bare);
    if (!creator.has(flag_suspended)) {
        note_first_suspension(w, creator, suspension_reason::runs_child);
    }
    w.count.suspensions.increment();
    make_ready_last(&w, &creator);
}

// A creator that stays with its OS thread has a pool of its own, which comes before the lane. So it
// gives way until the lane is no longer than it should be, or each unit that was ready there has
// had a turn.
void give_way_to_older() {
    const worker& w = running_worker();
    if (w.lane == nullptr || w.lane->home() == w.current->home) {
        return;
    }
    for (std::size_t left = w.lane->size_estimate(); left != 0; --left) {
        const steal_lane* const lane = running_worker().lane;
        if (lane == nullptr || !lane->is_longer_than_enough()) {
            return;
        }
        yield();
    }
}

}  // namespace

// The creators come last: another stream may run them as soon as they are known, on stacks that the
// host has to let go of first.
LAZULT_NOINLINE void host::promote_creators() noexcept {
    call_at_once* calls = std::exchange(calls_, nullptr);
    occupant_ = cut_off(calls, redirected_flow);
    if (occupant_ != nullptr) {
        promote();
    }
    worker& w = running_worker();
    for (call_at_once* next = nullptr; calls != nullptr; calls = next) {
        next = calls->below;
        free_creator(w, *calls);
    }
}

// Under a sanitizer the return must be announced, unless promotion replaced it.
void run_unit_at_once(void* of) {
    arrive(nullptr);
    const call_at_once& call = *static_cast<call_at_once*>(of);
    work_unit* const u = call.unit;
    [[maybe_unused]] stack* const back = probe::asan || probe::tsan ? call.creator->stk : nullptr;
    invoke(u);
    if constexpr (probe::asan || probe::tsan) {
        if (!u->has(flag_promoted)) {
            depart(back, nullptr);
        }
    }
}

LAZULT_NOINLINE void drop_kept_unit(worker* w, work_unit* u) noexcept {
    stack_cache::release(std::exchange(u->stk, nullptr), w == nullptr ? nullptr : &w->stacks);
    u->clear_words();
    dispose(w, u);
}

LAZULT_NOINLINE start_at_once go_on_after_promotion(work_unit* creator, const call_at_once& call) {
    probe::acquire(creator);
    if (call.unit_fate == call_at_once::fate::is_not_listed) LAZULT_UNLIKELY {
        join_unlisted(call.unit);
    }
    if (has_requests(*creator)) LAZULT_UNLIKELY {
        honour_requests(*creator);
    }
    give_way_to_older();
    return start_at_once::goes_on;
}

}  // namespace lazult::core
