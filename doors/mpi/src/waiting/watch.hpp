// SPDX-License-Identifier: BSD-3-Clause
// The door's own thread: it polls when nobody else did for a while. Schedulers of other doors and
// of users need not poll, and a ULT may compute for long while all other streams sleep.
//
// Legal transitions of word_:
//   awake -> asleep   the thread, when nothing was waited for during some naps
//   asleep -> awake   the thread, which finds that something is waited for; or wake()
//   any -> ended      stop()
//
// It does not oversleep. It stores `asleep` and then loads the poller's waiting_. The thread that
// adds a suspended ULT's record adds to waiting_ and then loads word_ here. All four are seq_cst,
// so one side sees the other's store: the thread stays up, or it is woken.
//
// field  written by          read by     order
// word_  the thread, anybody the same    seq_cst, as above
#pragma once

#include <thread>

#include "door.hpp"

namespace lazult::mpi {

class watch {
public:
    // False: no more OS threads. Then only streams poll.
    bool start() noexcept;
    void stop() noexcept;

    // Anybody, after adding to what is waited for.
    void wake() noexcept {
        // pairs with: is_wanted()
        if (word_.load(std::memory_order_seq_cst) == asleep) LAZULT_UNLIKELY {
            wake_slowly();
        }
    }

    std::uint64_t polls() const noexcept { return polls_.get(); }

private:
    enum : std::uint32_t { awake, asleep, ended };

    void wake_slowly() noexcept;
    void run() noexcept;
    bool is_wanted() noexcept;
    bool nap(std::int64_t ns) noexcept;

    atomic<std::uint32_t> word_{awake};
    core::counter polls_;  // the thread's
    std::thread thread_;
};

watch& the_watch() noexcept;

}  // namespace lazult::mpi
