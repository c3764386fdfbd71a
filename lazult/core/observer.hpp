// SPDX-License-Identifier: BSD-3-Clause
// For tools: who is told when units give control up in a wait and get it back. What doors do by a call of their own (they
// create units, yield, join) they tell themselves. Only units that are watched cost anything; of the others make_ready() looks
// at a word that it is about to use anyhow.
#pragma once

#include "lazult/core/trace.hpp"
#include "lazult/core/work_unit.hpp"

namespace lazult::core {

// Called on the OS thread where it happens; may neither suspend nor throw. Of watched units only.
struct unit_observer {
    // By the unit, which waits from now on.
    void (*suspends)(work_unit*) noexcept;
    // By whoever makes it ready, before anybody can run it; by the unit itself, right before `runs`, where the end of what it
    // joins hands control on to it without its pool.
    void (*resumes)(work_unit*) noexcept;
    // By the unit, which has waited, or has left.
    void (*runs)(work_unit*) noexcept;
    // By the unit, which goes to another pool. Whether `runs` is to be called when it is there.
    bool (*leaves)(work_unit*) noexcept;
    // By a scheduler: the unit was cancelled and never runs.
    void (*is_dropped)(work_unit*) noexcept;
};

// nullptr: nobody any more. Calls under way go on with the earlier one, which must stay.
void observe_units(const unit_observer* observer) noexcept;

// A prepared unit that nobody knows yet, a renewed one, or the running one itself: it is watched until its end. It gets a
// stack of its own and is never called in place, so that what happens to it does not happen to its joiner too.
void watch(work_unit& u) noexcept;

inline bool is_watched_unit(const work_unit& u) noexcept {
    return (u.requests.load(std::memory_order_relaxed) & is_watched) !=
           0;  // set before anybody else sees the unit
}

// Or traced: see trace.hpp.
inline bool is_observed_unit(const work_unit& u) noexcept {
    return (u.requests.load(std::memory_order_relaxed) & is_observed) != 0;
}

// For this floor. Of observed units. Whether the suspension is to be noted as others' first one is.
bool tell_suspension(work_unit& u, suspension_reason why) noexcept;
void tell_resumption(work_unit& u) noexcept;
void tell_run(work_unit& u) noexcept;
void tell_departure(work_unit& u) noexcept;
void tell_cancellation(work_unit& u) noexcept;

}  // namespace lazult::core
