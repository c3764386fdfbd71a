// SPDX-License-Identifier: BSD-3-Clause
// How long a caller waits without giving up its processor, before it suspends or sleeps.
#pragma once

#include "lazult/sched/sched.hpp"
#include "lazult/sync/waiter.hpp"

#include <cstdint>

namespace lazult::sync {

// Whether anybody can do something while the caller spins.
bool several_processors() noexcept;

// Rounds for the caller: few when its stream has other units to run, none on one processor.
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

    // The model checker's deadlines may pass at any moment.
    static bool has_passed(std::int64_t deadline_ns) noexcept {
        if constexpr (has_units<Atomics>) {
            return os::now_ns() >= deadline_ns;
        } else {
            return Atomics::has_passed(deadline_ns);
        }
    }

    // Waits a little; false when it is time to sleep. The pauses are longer than a look at the word
    // takes: each look takes the line away from the caller that is about to write it.
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
