// SPDX-License-Identifier: BSD-3-Clause
// An OS thread that the runtime starts if the settings ask for it. Now and then it looks for units
// that do not reach a scheduling point (LAZULT_WATCHDOG), and for a process in which nothing can
// run any more (LAZULT_DEADLOCK). Units and streams do nothing for that, because the thread reads
// counters and descriptors that exist in any case.
#pragma once

namespace lazult::watch {

// Called by enter_process() and leave_process(), under their lock. They do nothing if no setting
// asks for the thread. If memory or the thread is lacking, a warning says that nothing is watched.
// `awaits_events` returns whether something from outside may still make a unit ready.
void start_watching(bool (*awaits_events)() noexcept) noexcept;
void stop_watching() noexcept;

}  // namespace lazult::watch
