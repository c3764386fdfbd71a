// SPDX-License-Identifier: BSD-3-Clause
// A word on which one OS thread, the owner, sleeps until another thread claims it. The owner may
// also sleep in another place, for example where it learns of finished I/O, and be claimed there.
//
// Legal transitions of state_:
//   empty     -> armed      arm()            the owner, which can be claimed from here on
//   armed     -> sleeping   wait()           the owner, about to sleep
//   armed     -> elsewhere  wait_in()        the owner, about to sleep in another place
//   armed     -> claimed    claim()          anyone; the wait then returns at once
//   sleeping  -> claimed    claim()          anyone; wakes the owner
//   elsewhere -> claimed    claim()          anyone; interrupts the place
//   armed     -> empty      disarm()         the owner, if it need not sleep
//   sleeping  -> empty      wait()           the owner, when the deadline passed
//   elsewhere -> empty      wait_in()        the owner, when the place let it go
//   claimed   -> empty      waits, disarm()  the owner, which so learns of the claim
//   empty     -> empty      disarm()         the owner had not called arm()
//
// field   | written by            | read by   | order
// state_  | owner; claimers (CAS) | all       | arm: release; claim: CAS acq_rel; wait and disarm:
//         |                       |           | acquire
// place_  | owner, in wait_in()   | claimers  | relaxed: the claimer's CAS acquires; see claim()
//
// Of several claim() calls that race, one succeeds. After its CAS from `sleeping` a claimer uses
// only the address of the word, in futex_wake(). The parker may be destroyed by then, so other code
// may reuse its memory only if that code tolerates spurious futex wake-ups. While the owner sleeps
// elsewhere, nobody may destroy the parker or the place.
#pragma once

#include "lazult/ds/atomics.hpp"

#include <cstdint>

namespace lazult::ds {

// Where an owner may sleep instead of on its parker's word.
class sleeping_place {
public:
    // The owner. Sleeps until something has happened in this place, until interrupt(), or until the
    // deadline; may return for no reason. Returns false if the deadline has passed and nothing else
    // has happened. An interrupt() that comes before the call ends it.
    virtual bool sleep(std::int64_t deadline_ns) noexcept = 0;
    // Any thread, also in a signal handler: ends the owner's sleep, or the next one.
    virtual void interrupt() noexcept = 0;

protected:
    ~sleeping_place() = default;
};

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

    // Owner. Sleeps in `place` until claimed, or until the place lets it go. Returns whether it was
    // claimed. `in_time` becomes false if the deadline came first.
    bool wait_in(sleeping_place& place, std::int64_t deadline_ns, bool& in_time) {
        place_.store(&place, std::memory_order_relaxed);
        std::uint32_t state = armed;
        // Release: a claimer finds the place. Pairs with: claim(), CAS
        if (state_.compare_exchange_strong(state, elsewhere, std::memory_order_release,
                                           std::memory_order_relaxed)) {
            in_time = place.sleep(deadline_ns);
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
        return can_be_claimed(state);
    }

    // Any thread. Returns true for the one caller that ends this wait; the owner sees after wait()
    // what that caller did before.
    bool claim() {
        std::uint32_t state = state_.load(std::memory_order_relaxed);  // the CAS below acquires
        while (can_be_claimed(state)) {
            // pairs with: arm(), wait_in() and disarm()
            if (state_.compare_exchange_strong(state, claimed, std::memory_order_acq_rel,
                                               std::memory_order_relaxed)) {
                wake_from(state);
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
    static constexpr std::uint32_t elsewhere = 4;

    static bool can_be_claimed(std::uint32_t state) noexcept {
        return state == armed || state == sleeping || state == elsewhere;
    }

    // By the claimer. If the owner has left its place meanwhile, and sleeps in another one, that
    // sleep is ended for nothing.
    void wake_from(std::uint32_t state) {
        if (state == sleeping) {
            Atomics::futex_wake(state_, 1);
        } else if (state == elsewhere) LAZULT_UNLIKELY {
            sleeping_place* const where = place_.load(std::memory_order_relaxed);
            if (where != nullptr) {  // null only where the model checker weakens an order
                where->interrupt();
            }
        }
    }

    void sleep(std::int64_t deadline_ns) {
        bool in_time = true;
        // Relaxed: disarm() acquires. Pairs with: claim(), CAS
        while (in_time && state_.load(std::memory_order_relaxed) == sleeping) {
            in_time = Atomics::futex_wait(state_, sleeping, deadline_ns);
        }
    }

    // In a line of its own, so that claimers of neighbouring parkers do not disturb each other.
    alignas(base::cache_line) atomic<std::uint32_t> state_{empty};
    atomic<sleeping_place*> place_{nullptr};
};

}  // namespace lazult::ds
