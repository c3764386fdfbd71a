// SPDX-License-Identifier: BSD-3-Clause
// A wait for the end of a unit that other sources may end too: another object, a deadline.
//
// The unit's join word names the record of the wait. Two threads touch the record at its end:
//   the finisher   took the record out of the join word. It claims the wait, or finds it claimed,
//                  and releases the record by its signal: its last touch
//   the waiter     takes the record back if it is still in the join word. If it is not, the
//                  finisher has it, and the waiter stays until the record is released: it lies in
//                  the waiter's own frame
#pragma once

#include "lazult/core/core.hpp"
#include "lazult/sync/waiter.hpp"

namespace lazult::sync {

// By the finisher.
template <class Atomics>
void end_watched(waiter<Atomics>& record) noexcept {
    if (claim(&record)) {
        wake(&record);
    } else {
        record.signal.store(1, std::memory_order_release);  // pairs with: await_release()
    }
}

// By the waiter, when another source has ended its wait. `tagged` is what the waiter put into the
// join word.
template <class Atomics>
void stop_watching(core::join_word<Atomics>& word, std::uintptr_t tagged,
                   waiter<Atomics>& record) noexcept {
    if (!word.withdraw(tagged)) {
        await_release(record);
    }
}

}  // namespace lazult::sync
