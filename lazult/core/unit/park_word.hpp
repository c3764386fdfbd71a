// SPDX-License-Identifier: BSD-3-Clause
// Suspend and resume by name: the race between a unit that parks itself and its unparker.
//
//   from      to        by                          meaning
//   empty     token     unpark                      a later park returns at once
//   token     empty     try_consume (the unit)      the park that returned at once
//   empty     parked    commit (the unit, as it     its context is saved, or it is leaving: an
//                                                   unpark may resume it
//                       leaves; or after the switch)
//   parked    empty     unpark                      the caller must make the unit ready
//   parked    empty     withdraw (the unit)         its wait was ended otherwise: see wait_word.hpp
//   token     empty     commit fails                the unpark came between; the caller makes the
//                                                   unit ready
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

    // By the unit, before it switches away: true when a token made parking unnecessary. One that
    // comes after the look is found by commit().
    bool try_consume() noexcept {
        std::uint16_t expected = word_.load(std::memory_order_relaxed);
        if (expected != token) LAZULT_LIKELY {
            return false;
        }
        // acquire pairs with: unpark(), exchange of word_: what the resumer did before
        return ds::swap_if<Atomics>(word_, expected, std::uint16_t{empty},
                                    std::memory_order_acquire, std::memory_order_relaxed);
    }

    // By the unit as it leaves (leave.hpp), or for it after the switch: true when it is parked now;
    // false when a token came first.
    bool commit() noexcept {
        std::uint16_t expected = empty;
        // release pairs with: unpark(), CAS of word_: the saved context, or that it is leaving
        if (ds::swap_if<Atomics>(word_, expected, std::uint16_t{parked}, std::memory_order_release,
                                 std::memory_order_relaxed)) {
            return true;
        }
        // Not a store: a second unpark may have left its token anew since, and what it did before
        // must be seen.
        word_.exchange(empty, std::memory_order_acquire);  // pairs with: unpark(), CAS of word_
        return false;
    }

    // True when the unit was parked: the caller must make it ready.
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

    // By the unit, which somebody else resumed. False: an unpark has resumed it, too.
    bool withdraw() noexcept {
        std::uint16_t expected = parked;
        // acquire (failure) pairs with: unpark(), CAS of word_: what the resumer did before
        return word_.compare_exchange_strong(expected, empty, std::memory_order_relaxed,
                                             std::memory_order_acquire);
    }

    // By the unit. A hint: a token may come at any moment.
    bool has_token() const noexcept { return word_.load(std::memory_order_relaxed) == token; }
    bool is_parked() const noexcept { return word_.load(std::memory_order_relaxed) == parked; }
    void reset() noexcept { word_.store(empty, std::memory_order_relaxed); }

private:
    typename Atomics::template atomic<std::uint16_t> word_;
};

}  // namespace lazult::core
