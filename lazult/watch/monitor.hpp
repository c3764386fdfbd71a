// SPDX-License-Identifier: BSD-3-Clause
// An OS thread of the runtime's own that looks at the streams from outside now and then, where the
// settings ask for it: for units that do not reach a scheduling point (LAZULT_WATCHDOG), and for a
// process in which nothing can run any more (LAZULT_DEADLOCK). Units and streams do nothing for it:
// it reads counters and descriptors that are there anyhow.
#pragma once

namespace lazult::watch {

// By enter_process() and leave_process(), under their lock. Where nothing is asked for they do
// nothing. Without memory or a thread for it nobody watches, and a warning says so.
// `awaits_events` says whether something from outside may still make a unit ready.
void start_watching(bool (*awaits_events)() noexcept) noexcept;
void stop_watching() noexcept;

}  // namespace lazult::watch
