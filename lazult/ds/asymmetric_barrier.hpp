// SPDX-License-Identifier: BSD-3-Clause
// The asymmetric barrier: free on the side that runs often, a system call on the other one. It also
// works if the kernel has no such call, or begins to refuse the call while the process runs, as it
// does when a sandbox is set up late. Then both sides pay.
//
// It orders a Dekker-like pair (store, light, load) against (store, heavy, load): one of the two
// sees the other's store.
//
// side_, what the light side costs:
//   unknown             both sides meet
//   unknown -> free     learn()    the kernel has the call
//   unknown -> costly   learn()    it has not: both sides meet in one read-modify-write, for ever
//   free    -> losing   lose()     the kernel refused the call, for the first time
//   losing  -> lost     lose()     the same thread, when it has reached all others by another way
//   losing  -> lost     forget_loser(), in a forked child: that thread and all others are not there
//
// From `losing` on, light sides meet too. But a light side may have read `free` before that, and
// may not have done its load yet. So the loser calls Kernel::reach_all(), which puts a full barrier
// into each thread after the store of `losing`. If a light side read `free` before that barrier,
// the barrier has made its store visible to all threads. If it reads side_ after the barrier, it
// sees `losing` and meets. For this reason heavy() does not return before `lost` once the kernel
// has refused the call.
//
// claim() of a join word does not even read side_: it uses nothing(). So its partner,
// heavy_against_nothing(), reaches all other threads anew at each call when the barrier is lost.
// Such calls are few by then, because no thread keeps a lane that others claim from.
//
// field      written by                    read by         order
// side_      learn(), lose(), a child      all             `losing`: seq_cst; `lost`: release;
//                                                          heavy sides: acquire
// meeting_   both sides, where not free    the same        seq_cst: of any two, the later one sees
//                                                          what was before the earlier
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/base/base.hpp"

namespace lazult::ds {

// Kernel: has_barrier(), whether the call is there; barrier(), false when it is refused;
// reach_all(), the other way; wait().
template <class Atomics, class Kernel>
class asymmetric_barrier {
public:
    constexpr asymmetric_barrier() noexcept = default;

    // Between a store and a load. Costs nothing while side_ is `free`, else one locked instruction.
    // It does not learn the side; is_free() and the heavy sides do. It makes no call, so a short
    // caller needs no frame.
    LAZULT_ALWAYS_INLINE void light() noexcept {
        nothing();  // the store comes before the look, and the look before the load
        // pairs with: lose(), store of `losing`, through what reach_all() does
        if (side_.load(std::memory_order_relaxed) != free) LAZULT_UNLIKELY {
            meet();
        }
        nothing();
    }

    // As light(), where that was free once, against heavy_against_nothing() alone. Stops the
    // compiler only.
    LAZULT_ALWAYS_INLINE void nothing() noexcept { Atomics::compiler_barrier(); }

    void heavy() noexcept {
        if (!reach_by_call()) {
            await_loss();
        }
    }

    void heavy_against_nothing() noexcept {
        if (!reach_by_call()) {
            await_loss();
            if (side_.load(std::memory_order_relaxed) == lost) {
                Kernel::reach_all();
            }
        }
    }

    // Whether light sides cost nothing. It may turn to no.
    bool is_free() noexcept { return known() == free; }

    // In a forked child. The thread that was losing the barrier stayed in the parent, and the child
    // has no other thread to reach.
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
