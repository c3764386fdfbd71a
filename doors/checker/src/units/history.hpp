// SPDX-License-Identifier: BSD-3-Clause
// Where each ULT has run since it began.
#pragma once

#include <algorithm>
#include <vector>

#include "storage/storage.hpp"

namespace lazult::checker {

// Of one ULT. Records are used again, and never freed: an OS thread may still look at `unit` of one
// that it has used last.
//
// field       written by                      read by        order
// unit        the ULT, as it begins and ends  OS threads     relaxed: whether it is the unit that
//                                             that ran it    runs there now
// the others  the ULT                         the ULT        they move with it
struct history {
    ds::default_atomics::atomic<const core::work_unit*> unit{nullptr};
    std::vector<const os_thread*> threads;
    const os_thread* last = nullptr;
    // of the last move that mover.hpp has asked for
    const core::pool* target = nullptr;
    int target_rank = -1;
    base::xorshift64 random{1};
    unsigned patience = 0;  // how many looks it does not ask again after it was not moved
    history* next_free = nullptr;

    bool ran_on(const os_thread* t) const noexcept {
        return std::ranges::find(threads, t) != threads.end();
    }
};

// Returns the history of this unit if the calling OS thread has looked it up last; else nullptr.
history* newest_history_of(const core::work_unit* u) noexcept;

// Returns the running ULT's history, which has the calling OS thread from now on. Returns nullptr
// where no ULT runs that could suspend, and when memory is exhausted.
history* history_here() noexcept;
// Notes that the ULT with this history runs on the calling OS thread. Returns false when memory is
// exhausted, or when the thread is about to end.
bool note_thread(history& h) noexcept;

}  // namespace lazult::checker
