// SPDX-License-Identifier: BSD-3-Clause
// Waiting for what another OS thread is about to do in a few instructions. The kernel may have
// stopped that thread: then it needs a processor more than the caller does. Where the caller has a
// higher real-time priority, the other one gets none while this one only yields: so it sleeps in
// the end.
#pragma once

#include "lazult/ds/ds.hpp"
#include "lazult/os/os.hpp"

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
