// SPDX-License-Identifier: BSD-3-Clause
// The word of park() and unpark(): the race between a unit that parks and a caller that unparks it.
//
//   from      to        by                          meaning
//   empty     token     unpark                      a later park returns at once
//   token     empty     try_consume (the unit)      a park has returned at once
//   empty     parked    commit (the unit, as it     its context is saved, or it is leaving: an
//                       leaves; or after the        unpark may resume it
//                       switch)
//   parked    empty     unpark                      the caller must make the unit ready
//   parked    empty     withdraw (the unit)         something else ended its wait: wait_word.hpp
//   token     empty     commit fails                an unpark came before; the caller of commit
//                                                   makes the unit ready
//
// At most one token is kept, as with java.util.concurrent's LockSupport.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::core {

template <class Atomics = ds::default_atomics>
class park_word {
public:
    enum state : std::uint16_t { empty, token, parked };

    constexpr park_word() noexcept : word_(empty) {}

    // Consumes a token, if there is one, and returns true: the unit need not park. Called by the
    // unit before it switches away. commit() finds a token that comes later.
    bool try_consume() noexcept {
        std::uint16_t expected = word_.load(std::memory_order_relaxed);
        if (expected != token) LAZULT_LIKELY {
            return false;
        }
        // acquire pairs with: unpark(), exchange of word_: what the resumer did before
        return ds::swap_if<Atomics>(word_, expected, std::uint16_t{empty},
                                    std::memory_order_acquire, std::memory_order_relaxed);
    }

    // Parks the unit and returns true. Returns false if a token came first: then the caller makes
    // the unit ready. Called by the unit as it leaves (leave.hpp), or for the unit after the
    // switch.
    bool commit() noexcept {
        std::uint16_t expected = empty;
        // release pairs with: unpark(), CAS of word_: the saved context, or that it is leaving
        if (ds::swap_if<Atomics>(word_, expected, std::uint16_t{parked}, std::memory_order_release,
                                 std::memory_order_relaxed)) {
            return true;
        }
        // An exchange, because a second unpark may have left a token since then: what its caller
        // did before must be visible here.
        word_.exchange(empty, std::memory_order_acquire);  // pairs with: unpark(), CAS of word_
        return false;
    }

    // Returns true if the unit was parked: the caller must make it ready. Otherwise leaves a token.
    bool unpark() noexcept {
        std::uint16_t seen = word_.load(std::memory_order_relaxed);
        for (;;) {
            const std::uint16_t wanted = seen == parked ? empty : token;
            // release pairs with: try_consume(), commit(): what the resumer did before
            // acquire pairs with: commit(): the saved context, or that the unit is leaving
            if (ds::swap_if<Atomics>(word_, seen, wanted, std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
                return seen == parked;
            }
        }
    }

    // Called by the unit after something other than an unpark has ended its wait. Returns false if
    // an unpark took the unit as well.
    bool withdraw() noexcept {
        std::uint16_t expected = parked;
        // acquire (failure) pairs with: unpark(), CAS of word_: what the resumer did before
        return word_.compare_exchange_strong(expected, empty, std::memory_order_relaxed,
                                             std::memory_order_acquire);
    }

    // Called by the unit. The answer is a hint, because a token may come at any moment.
    bool has_token() const noexcept { return word_.load(std::memory_order_relaxed) == token; }
    bool is_parked() const noexcept { return word_.load(std::memory_order_relaxed) == parked; }
    void reset() noexcept { word_.store(empty, std::memory_order_relaxed); }

private:
    typename Atomics::template atomic<std::uint16_t> word_;
};

}  // namespace lazult::core
