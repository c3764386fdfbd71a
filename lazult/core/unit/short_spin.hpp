// SPDX-License-Identifier: BSD-3-Clause
// Spins until another OS thread has done something that takes it a few instructions. The kernel may
// have stopped that thread, so the spinner yields its processor now and then. If the spinner has a
// higher real-time priority, the other thread does not run while the spinner merely yields. So the
// spinner sleeps after 64 yields.
#pragma once

#include "lazult/ds/ds.hpp"

namespace lazult::core {

class short_spin {
public:
    void pause() noexcept {
        ds::default_atomics::pause();
        if (++rounds_ % rounds_per_nap == 0) {
            os::nap_thread();
        } else if (rounds_ % rounds_per_yield == 0) {
            os::yield_thread();
        }
    }

private:
    static constexpr unsigned rounds_per_yield = 128;
    static constexpr unsigned rounds_per_nap = 64 * rounds_per_yield;
    unsigned rounds_ = 0;
};

}  // namespace lazult::core
