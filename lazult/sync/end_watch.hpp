// SPDX-License-Identifier: BSD-3-Clause
// A wait for the end of a unit, which another source may end first: another object, a deadline.
//
// The unit's join word has the address of the wait's record. Two threads may take it from there:
//   the finisher   takes the record, claims the wait or finds it claimed, and releases the record
//                  by its signal. The finisher does not touch the record afterwards.
//   the waiter     takes the record back if it is still in the join word. Else the finisher has it,
//                  and the waiter waits until it is released, because it lies in the waiter's frame
#pragma once

#include "lazult/sync/waiter.hpp"

namespace lazult::sync {

// Called by the finisher, after it took the record out of the join word.
template <class Atomics>
void end_watched(waiter<Atomics>& record) noexcept {
    if (claim(&record)) {
        wake(&record);
    } else {
        record.signal.store(1, std::memory_order_release);  // pairs with: await_release()
    }
}

// Called by the waiter, when another source has ended its wait. `tagged` is what the waiter put
// into the join word.
template <class Atomics>
void stop_watching(core::join_word<Atomics>& word, std::uintptr_t tagged,
                   waiter<Atomics>& record) noexcept {
    if (!word.withdraw(tagged)) {
        await_release(record);
    }
}

}  // namespace lazult::sync
