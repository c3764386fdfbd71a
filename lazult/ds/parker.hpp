// SPDX-License-Identifier: BSD-3-Clause
// A word on which one OS thread, the owner, sleeps until another thread claims it.
//
// Legal transitions of state_:
//   empty    -> armed      arm()            the owner, which can be claimed from here on
//   armed    -> sleeping   wait()           the owner, about to sleep
//   armed    -> claimed    claim()          anyone; wait() then returns at once
//   sleeping -> claimed    claim()          anyone; wakes the owner
//   armed    -> empty      disarm()         the owner, if it need not sleep
//   sleeping -> empty      wait()           the owner, when the deadline passed
//   claimed  -> empty      wait(), disarm() the owner, which so learns of the claim
//   empty    -> empty      disarm()         the owner had not called arm()
//
// field   | written by            | read by   | order
// state_  | owner; claimers (CAS) | all       | arm: release; claim: CAS acq_rel; wait and disarm:
//         |                       |           | acquire
//
// Of several claim() calls that race, one succeeds. After its CAS a claimer uses only the address
// of the word, in futex_wake(). The parker may be destroyed by then, so its memory may be reused
// only by code that tolerates spurious futex wake-ups.
#pragma once

#include "lazult/ds/atomics.hpp"

#include <cstdint>

namespace lazult::ds {

template <class Atomics = default_atomics>
class parker {
public:
    static constexpr std::int64_t no_deadline = -1;

    // Owner, once before each wait() or disarm(). Let other threads see the parker after this.
    void arm() {
        state_.store(armed, std::memory_order_release);  // pairs with: claim(), CAS
    }

    // Owner. Sleeps until claimed. Returns false if the deadline (CLOCK_MONOTONIC, ns) came first.
    bool wait(std::int64_t deadline_ns = no_deadline) {
        std::uint32_t state = armed;
        // Relaxed: disarm() acquires. Pairs with: claim(), CAS
        if (state_.compare_exchange_strong(state, sleeping, std::memory_order_relaxed,
                                           std::memory_order_relaxed)) {
            sleep(deadline_ns);
        }
        return disarm();
    }

    // Owner, instead of wait(). Returns true if a thread has claimed the parker since arm().
    bool disarm() {
        // pairs with: claim(), CAS
        return state_.exchange(empty, std::memory_order_acquire) == claimed;
    }

    // Returns true if a claim would succeed now: a hint.
    bool is_waiting() const noexcept {
        const std::uint32_t state = state_.load(std::memory_order_relaxed);
        return state == armed || state == sleeping;
    }

    // Any thread. Returns true for the one caller that ends this wait; the owner sees after wait()
    // what that caller did before.
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

    // In a line of its own, so that claimers of neighbouring parkers do not disturb each other.
    alignas(base::cache_line) atomic<std::uint32_t> state_{empty};
};

}  // namespace lazult::ds
