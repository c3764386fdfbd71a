// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/creators.hpp"

#include "lazult/core/switch/first_suspension.hpp"
#include "lazult/core/switch/ready.hpp"

namespace lazult::core {

work_unit* cut_off(call_at_once* calls, const arch::entry_record& end) noexcept {
    work_unit* occupant = nullptr;
    for (call_at_once* call = calls; call != nullptr; call = call->below) {
        // pairs with: call_new_unit(). The creator has written the list before that.
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

namespace {

// Makes the creator ready. Then the record, which is in the creator's frame, may be gone.
void free_creator(worker& w, const call_at_once& call) noexcept {
    work_unit& creator = *call.creator;
    creator.context = call.context;
    creator.error_number = call.error_number;
    creator.clear(flag_joins_many | flag_tail_yield);
    if (!creator.has(flag_suspended)) {
        note_first_suspension(w, creator, suspension_reason::runs_child);
    }
    w.count.suspensions.increment();
    make_ready_last(&w, &creator);
}

}  // namespace

void free_creators(worker& w, call_at_once* calls) noexcept {
    for (call_at_once* next = nullptr; calls != nullptr; calls = next) {
        next = calls->below;
        free_creator(w, *calls);
    }
}

}  // namespace lazult::core
