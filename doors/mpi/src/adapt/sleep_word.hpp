// SPDX-License-Identifier: BSD-3-Clause
// The word by which the door's own thread sleeps while nothing is waited for.
//
// Legal transitions of word_:
//   awake -> asleep   the thread, when nothing was waited for during some naps
//   asleep -> awake   the thread, which finds that something is waited for; or wake()
//   any -> ended      end()
//
// The thread does not oversleep. It stores `asleep` and then loads the poller's waiting_. The
// thread that adds a suspended ULT's record adds to waiting_ and then loads word_ here. All four
// are seq_cst, so one side sees the other's store: the thread stays up, or it is woken.
//
// field  written by          read by     order
// word_  the thread, anybody the same    seq_cst, as above
#pragma once

#include "lazult/ds/ds.hpp"
#include "lazult/os/os.hpp"

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

    // Anybody, after adding to what is waited for.
    void wake() noexcept {
        // pairs with: sleep_unless()
        if (word_.load(std::memory_order_seq_cst) == asleep) LAZULT_UNLIKELY {
            wake_sleeper();
        }
    }

    // By the thread, as the next one. False when it shall end.
    bool nap(std::int64_t ns) noexcept {
        atomics::futex_wait(word_, awake, os::now_ns() + ns);
        return word_.load(std::memory_order_seq_cst) != ended;  // pairs with: end()
    }

    // Sleeps until it is woken, unless is_needed() once the word says that the thread sleeps.
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
