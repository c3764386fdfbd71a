// SPDX-License-Identifier: BSD-3-Clause
// A futex word on which the door's own thread sleeps while no ULT waits for MPI.
//
// Legal transitions of word_:
//   awake -> asleep   by the thread, if no ULT waited during some naps
//   asleep -> awake   by the thread, if it finds that a ULT waits; or by wake()
//   any -> ended      by end()
//   ended -> awake    by begin(), before the thread starts
//
// The thread does not oversleep. It stores `asleep`, and then loads the poller's waiting_. A thread
// that adds the record of a suspended ULT adds to waiting_, and then loads word_. All four are
// seq_cst, so one of the two sees what the other wrote: the first stays up, or the second wakes it.
//
// field  written by          read by     order
// word_  any thread          any thread  seq_cst: see above
#pragma once

#include "lazult/ds/ds.hpp"

#include <cstdint>

namespace lazult::mpi {

class sleep_word {
    using atomics = ds::default_atomics;

public:
    void begin() noexcept {
        word_.store(awake, std::memory_order_seq_cst);  // pairs with: wake()
    }
    void end() noexcept {
        word_.store(ended, std::memory_order_seq_cst);  // pairs with: sleep_unless(), nap()
        atomics::futex_wake(word_, 1);
    }

    // Wakes the thread if it sleeps. Called by any thread that has added to the poller's waiting_.
    void wake() noexcept {
        // pairs with: sleep_unless()
        if (word_.load(std::memory_order_seq_cst) == asleep) LAZULT_UNLIKELY {
            wake_sleeper();
        }
    }

    // Called by the door's thread. Sleeps for `ns` nanoseconds; wake() does not end a nap, end()
    // does. Returns false if the thread shall end.
    bool nap(std::int64_t ns) noexcept {
        atomics::futex_wait(word_, awake, os::now_ns() + ns);
        return word_.load(std::memory_order_seq_cst) != ended;  // pairs with: end()
    }

    // Called by the door's thread. Stores `asleep` and calls is_needed(). If is_needed() returns
    // false, sleeps until wake() or end(). Returns false if the thread shall end.
    template <class IsNeeded>
    bool sleep_unless(IsNeeded is_needed) noexcept {
        std::uint32_t seen = awake;
        // pairs with: wake(), load, and end()
        if (!word_.compare_exchange_strong(seen, asleep, std::memory_order_seq_cst,
                                           std::memory_order_relaxed)) {
            return seen != ended;
        }
        if (is_needed()) {
            wake_sleeper();
        }
        for (;;) {
            seen = word_.load(std::memory_order_seq_cst);  // pairs with: wake_sleeper(), end()
            if (seen != asleep) {
                return seen != ended;
            }
            atomics::futex_wait(word_, asleep, -1);
        }
    }

private:
    enum : std::uint32_t { awake, asleep, ended };

    LAZULT_NOINLINE void wake_sleeper() noexcept {
        std::uint32_t seen = asleep;
        // pairs with: sleep_unless()
        if (word_.compare_exchange_strong(seen, awake, std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) {
            atomics::futex_wake(word_, 1);
        }
    }

    atomics::atomic<std::uint32_t> word_{awake};
};

}  // namespace lazult::mpi
