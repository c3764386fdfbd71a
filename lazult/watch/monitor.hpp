// SPDX-License-Identifier: BSD-3-Clause
// An OS thread that the runtime starts if the settings ask for it. Now and then it looks for units
// that do not reach a scheduling point (LAZULT_WATCHDOG), for a process in which nothing can run
// any more (LAZULT_DEADLOCK), and for streams that are caught in the kernel (LAZULT_SPARE). Units
// and streams do nothing for that, because the thread reads counters and descriptors that exist in
// any case.
#pragma once

#include <span>

#include "lazult/core/core.hpp"

namespace lazult::watch {

// What the monitor asks of a higher floor.
struct watch_hooks {
    // Returns whether something from outside may still make a unit ready.
    bool (*awaits_events)() noexcept;
    // These streams are caught now. Called after each look for them.
    void (*relieve)(std::span<core::worker* const> caught) noexcept;
};

// Called by enter_process() and leave_process(), under their lock. They do nothing if no setting
// asks for the thread. If memory or the thread is lacking, a warning says that nothing is watched.
void start_watching(const watch_hooks& hooks) noexcept;
void stop_watching() noexcept;

}  // namespace lazult::watch
