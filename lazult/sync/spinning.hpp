// SPDX-License-Identifier: BSD-3-Clause
// How long a caller spins before it suspends or sleeps.
#pragma once

#include "lazult/sched/sched.hpp"
#include "lazult/sync/waiter.hpp"

#include <cstdint>

namespace lazult::sync {

// Returns whether other threads can run while the caller spins.
bool several_processors() noexcept;

// Returns how many rounds the caller spins before it waits: few if its stream has other units to
// run. Returns 0 on one processor, or if the caller may wait for a unit that runs on its stream
// only after the caller has suspended. `self` is null if the caller is not a unit.
unsigned spin_rounds(const core::work_unit* self) noexcept;

template <class Atomics = ds::default_atomics>
class spinning {
public:
    explicit spinning(const core::work_unit* self) noexcept : self_(self) {}

    static std::int64_t now() noexcept {
        if constexpr (has_units<Atomics>) {
            return os::now_ns();
        }
        return 0;
    }

    // Under the model checker, a deadline may pass at any moment.
    static bool has_passed(std::int64_t deadline_ns) noexcept {
        if constexpr (has_units<Atomics>) {
            return os::now_ns() >= deadline_ns;
        } else {
            return Atomics::has_passed(deadline_ns);
        }
    }

    // Spins for one round and returns true, or returns false if the caller must sleep. A round is
    // long, because each look at the word takes its cache line away from the caller that is about
    // to write it.
    bool again() noexcept {
        if constexpr (!has_units<Atomics>) {
            return false;
        } else {
            if (!asked_) {
                asked_ = true;
                left_ = spin_rounds(self_);
            }
            if (left_ == 0) {
                return false;
            }
            --left_;
            for (int i = 0; i < pauses_per_round; ++i) {
                Atomics::pause();
            }
            return true;
        }
    }

private:
    static constexpr int pauses_per_round = 16;

    const core::work_unit* self_;
    unsigned left_ = 0;
    bool asked_ = false;
};

}  // namespace lazult::sync
