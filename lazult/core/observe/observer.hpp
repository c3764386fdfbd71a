// SPDX-License-Identifier: BSD-3-Clause
// For tools: functions that are called when units give control up in a wait and get it back. Doors
// create units, yield and join by calls of their own, and report these themselves. Only watched
// units cost anything. For the others make_ready() looks at a word that it is about to use anyhow.
#pragma once

#include "lazult/core/observe/trace.hpp"

namespace lazult::core {

// Called for watched units only, on the OS thread where the event happens. The functions may
// neither suspend nor throw.
struct unit_observer {
    // The unit calls this. It waits from now on.
    void (*suspends)(work_unit*) noexcept;
    // The waker calls this, before any thread can run the unit. If the end of a joined unit hands
    // control to the unit without its pool, the unit itself calls this, right before `runs`.
    void (*resumes)(work_unit*) noexcept;
    // The unit calls this after it has waited, or has left.
    void (*runs)(work_unit*) noexcept;
    // The unit calls this before it goes to another pool. Returns whether `runs` is to be called
    // when it is there.
    bool (*leaves)(work_unit*) noexcept;
    // A scheduler calls this. The unit was cancelled, and never runs.
    void (*is_dropped)(work_unit*) noexcept;
};

// Sets the observer; nullptr: there is none any more. Calls under way go on with the earlier
// observer, which must stay alive.
void observe_units(const unit_observer* observer) noexcept;

// Has a unit watched until its end: a prepared unit that nobody else knows, a renewed one, or the
// running one itself. The unit gets a stack of its own and is never called in place, so that what
// happens to it does not happen to its joiner, too.
void watch(work_unit& u) noexcept;

inline bool is_watched_unit(const work_unit& u) noexcept {
    // relaxed: set before any other thread sees the unit
    return (u.notes.load(std::memory_order_relaxed) & is_watched) != 0;
}

// Returns whether the unit is watched or traced (trace.hpp).
inline bool is_observed_unit(const work_unit& u) noexcept {
    return (u.notes.load(std::memory_order_relaxed) & is_observed) != 0;
}

// For core/, and for observed units. Returns whether the suspension is to be noted as a first one.
bool tell_suspension(work_unit& u, suspension_reason why) noexcept;
void tell_resumption(work_unit& u) noexcept;
void tell_run(work_unit& u) noexcept;
void tell_departure(work_unit& u) noexcept;
void tell_cancellation(work_unit& u) noexcept;

}  // namespace lazult::core
