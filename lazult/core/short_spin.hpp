// SPDX-License-Identifier: BSD-3-Clause
// Waiting for what another OS thread is about to do in a few instructions. The kernel may have stopped that thread: then it needs
// a processor more than the caller does.
#pragma once

#include "lazult/ds/ds.hpp"
#include "lazult/os/os.hpp"

namespace lazult::core {

class short_spin {
public:
    void pause() noexcept {
        ds::default_atomics::pause();
        if (++rounds_ % rounds_per_yield == 0) {
            os::yield_thread();
        }
    }

private:
    static constexpr unsigned rounds_per_yield = 128;
    unsigned rounds_ = 0;
};

}  // namespace lazult::core
