// SPDX-License-Identifier: BSD-3-Clause
// Where one OS thread sleeps until another one claims it.
//
// state_'s legal transitions:
//   empty    -> armed      arm()            the owner, which can be claimed from here on
//   armed    -> sleeping   wait()           the owner, about to sleep
//   armed    -> claimed    claim()          anyone; wait() then returns at once
//   sleeping -> claimed    claim()          anyone; wakes the owner
//   armed    -> empty      disarm()         the owner, which found something better to do
//   sleeping -> empty      wait()           the owner, when the deadline passed
//   claimed  -> empty      wait(), disarm() the owner takes note
//   empty    -> empty      disarm()         the owner had not armed it
//
// field   | written by            | read by   | order
// state_  | owner; claimers (CAS) | all       | arm: release; claim: CAS acq_rel; wait and disarm:
//         |                       |           | acquire
//
// One claim() of those that race succeeds. A claimer touches the parker after its CAS only by the
// address of the word, in futex_wake: the parker may be gone by then, but its memory must not have
// become a futex that cannot bear a spurious wake-up.
#pragma once

#include "lazult/base/base.hpp"
#include "lazult/ds/atomics.hpp"

#include <cstdint>

namespace lazult::ds {

template <class Atomics = default_atomics>
class parker {
public:
    static constexpr std::int64_t no_deadline = -1;

    parker() = default;
    parker(const parker&) = delete;
    parker& operator=(const parker&) = delete;

    // Owner, once before each wait() or disarm(). Publish the parker after this.
    void arm() {
        state_.store(armed, std::memory_order_release);  // pairs with: claim(), CAS
    }

    // Owner. Sleeps until claimed. False if the deadline (CLOCK_MONOTONIC, absolute) passed first.
    bool wait(std::int64_t deadline_ns = no_deadline) {
        std::uint32_t state = armed;
        // Relaxed: disarm() acquires. Pairs with: claim(), CAS
        if (state_.compare_exchange_strong(state, sleeping, std::memory_order_relaxed,
                                           std::memory_order_relaxed)) {
            sleep(deadline_ns);
        }
        return disarm();
    }

    // Owner, instead of wait(). True if it was claimed meanwhile.
    bool disarm() {
        // pairs with: claim(), CAS
        return state_.exchange(empty, std::memory_order_acquire) == claimed;
    }

    // A hint: whether a claim would succeed now.
    bool is_waiting() const noexcept {
        const std::uint32_t state = state_.load(std::memory_order_relaxed);
        return state == armed || state == sleeping;
    }

    // Anyone. True for the one caller that ends this wait; what it did before is visible after
    // wait().
    bool claim() {
        std::uint32_t state = state_.load(std::memory_order_relaxed);  // the CAS below acquires
        while (state == armed || state == sleeping) {
            // pairs with: arm() and disarm()
            if (state_.compare_exchange_strong(state, claimed, std::memory_order_acq_rel,
                                               std::memory_order_relaxed)) {
                if (state == sleeping) {
                    Atomics::futex_wake(state_, 1);
                }
                return true;
            }
        }
        return false;
    }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;

    static constexpr std::uint32_t empty = 0;
    static constexpr std::uint32_t armed = 1;
    static constexpr std::uint32_t sleeping = 2;
    static constexpr std::uint32_t claimed = 3;

    void sleep(std::int64_t deadline_ns) {
        bool in_time = true;
        // Relaxed: disarm() acquires. Pairs with: claim(), CAS
        while (in_time && state_.load(std::memory_order_relaxed) == sleeping) {
            in_time = Atomics::futex_wait(state_, sleeping, deadline_ns);
        }
    }

    // A line of its own: claimers of neighbouring parkers do not disturb each other.
    alignas(base::cache_line) atomic<std::uint32_t> state_{empty};
};

}  // namespace lazult::ds
