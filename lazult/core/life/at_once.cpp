// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/life/at_once.hpp"

#include "lazult/core/life/join.hpp"
#include "lazult/core/switch/honour.hpp"

namespace lazult::core {
namespace {

// Joins and frees a unit that found no room in its creator's list. Only the creator knows the unit.
LAZULT_COLD void join_unlisted(work_unit* u) {
    const cancellation_mask here;  // a cancelled join would leave the unit to nobody
    join(u);
    probe::release(u);  // pairs with: the thread that prepares it again
    dispose(running_worker(), u);
}

// Yields until the lane is no longer than it should be, or each unit that was ready there has had a
// turn. For a creator that stays with its OS thread, and so has a pool that comes before the lane.
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

// Under a sanitizer the return must be announced, unless promotion has replaced it.
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
