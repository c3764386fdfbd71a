// SPDX-License-Identifier: BSD-3-Clause
// The asymmetric barrier: its light side, which runs often, costs nothing; its heavy side makes a
// system call. If the kernel has no such call, or begins to refuse it while the process runs (a
// sandbox that is set up late), each light side costs a locked instruction.
//
// It orders a Dekker-like pair (store, light, load) against (store, heavy, load): at least one of
// the two sees the other's store. "Both sides meet" means that each does a locked read-modify-write
// of meeting_; the later one then sees what the earlier one had stored.
//
// side_ says what the light side costs:
//   unknown             the initial state: both sides meet
//   unknown -> free     learn()    the kernel has the call
//   unknown -> costly   learn()    the kernel has no such call: both sides meet, for ever
//   free    -> losing   lose()     the kernel refused the call, for the first time
//   losing  -> lost     lose()     the same thread, after it has called Kernel::reach_all()
//   losing  -> lost     forget_loser(), in a forked child, where that thread does not exist
//
// From `losing` on, light sides meet too. But a light side may have read `free` before that, and
// may not have done its load yet. So the thread that runs lose() calls Kernel::reach_all(), which
// puts a full barrier into each thread after the store of `losing`. If a light side read `free`
// before that barrier, the barrier has made its store visible to all threads. If the light side
// reads side_ after the barrier, it sees `losing` and meets. For this reason heavy() does not
// return before `lost` once the kernel has refused the call.
//
// Some light sides, such as claim() of a join word, use nothing(), which does not read side_. So
// when the barrier is lost, their partner heavy_against_nothing() calls Kernel::reach_all() each
// time. Such calls are few by then, because streams keep no lane from which other threads claim.
//
// field      written by                    read by         order
// side_      learn(), lose(),              all             `losing`: seq_cst; `lost`: release;
//            forget_loser()                                heavy sides: acquire
// meeting_   both sides, if not free       the same        seq_cst: of any two, the later one sees
//                                                          what was stored before the earlier
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/base/base.hpp"

namespace lazult::ds {

// Kernel has has_barrier(): does the kernel have the call; barrier(): makes the call, false if it
// is refused; reach_all(): puts a barrier into each thread in another way; wait(): yields.
template <class Atomics, class Kernel>
class asymmetric_barrier {
public:
    // The light side: stands between a store and a load. It costs nothing while side_ is `free`,
    // else one locked instruction. Unlike is_free() and the heavy sides, it does not call learn().
    // So it makes no call, and a short caller needs no stack frame.
    LAZULT_ALWAYS_INLINE void light() noexcept {
        nothing();  // keeps the load of side_ between the caller's store and its load
        // pairs with: lose(), store of `losing`, through what reach_all() does
        if (side_.load(std::memory_order_relaxed) != free) LAZULT_UNLIKELY {
            meet();
        }
        nothing();
    }

    // A light side for code that runs only after is_free() has returned true once. It stops the
    // compiler only, and works against heavy_against_nothing() alone.
    LAZULT_ALWAYS_INLINE void nothing() noexcept { Atomics::compiler_barrier(); }

    // The heavy side against light(): stands between a store and a load.
    void heavy() noexcept {
        if (!reach_by_call()) {
            await_loss();
        }
    }

    // The heavy side against nothing() and light().
    void heavy_against_nothing() noexcept {
        if (!reach_by_call()) {
            await_loss();
            if (side_.load(std::memory_order_relaxed) == lost) {
                Kernel::reach_all();
            }
        }
    }

    // Returns true if light sides cost nothing. The answer may change from true to false.
    bool is_free() noexcept { return known() == free; }

    // Call this in a forked child. The thread that ran lose() stayed in the parent, and the child
    // has no other thread that a barrier must reach.
    void forget_loser() noexcept {
        std::uint32_t expected = losing;
        // relaxed: no other thread is there
        side_.compare_exchange_strong(expected, lost, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }

private:
    enum side : std::uint32_t { unknown, free, costly, losing, lost };

    LAZULT_ALWAYS_INLINE void meet() noexcept {
        // pairs with: itself in another thread
        meeting_.fetch_add(1, std::memory_order_seq_cst);
    }

    LAZULT_COLD std::uint32_t learn() noexcept {
        std::uint32_t found = unknown;
        const std::uint32_t answer = Kernel::has_barrier() ? free : costly;
        // relaxed: every thread finds the same answer, and there is no data behind it
        return side_.compare_exchange_strong(found, answer, std::memory_order_relaxed,
                                             std::memory_order_relaxed)
                   ? answer
                   : found;
    }

    std::uint32_t known() noexcept {
        // acquire pairs with: lose(), store of `lost`
        const std::uint32_t now = side_.load(std::memory_order_acquire);
        return now == unknown ? learn() : now;
    }

    bool reach_by_call() noexcept {
        meet();
        return known() == free && Kernel::barrier();
    }

    LAZULT_COLD void lose() noexcept {
        std::uint32_t expected = free;
        // pairs with: light(), load of side_, through what reach_all() does
        if (side_.compare_exchange_strong(expected, losing, std::memory_order_seq_cst,
                                          std::memory_order_relaxed)) {
            Kernel::reach_all();
            side_.store(lost, std::memory_order_release);  // pairs with: known(), load of side_
        }
    }

    LAZULT_NOINLINE void await_loss() noexcept {
        lose();
        while (known() == losing) {
            Kernel::wait();
        }
    }

    typename Atomics::template atomic<std::uint32_t> side_{unknown};
    alignas(base::cache_line) typename Atomics::template atomic<std::uint32_t> meeting_{0};
};

}  // namespace lazult::ds
