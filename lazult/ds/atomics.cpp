// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/atomics.hpp"

#include <pthread.h>

namespace lazult::ds {

void kernel_barrier::reach_all() noexcept {
    static constinit std::atomic<bool> is_said{false};
    if (!is_said.exchange(true, std::memory_order_relaxed)) {
        base::warn(
            "the kernel does not allow membarrier any more (a sandbox?): each push costs more from "
            "now on; allow it, or set up the sandbox before the first use of Lazult");
    }
    os::reach_every_processor();
}

namespace {

[[gnu::constructor]] void watch_forks() {
    ::pthread_atfork(nullptr, nullptr, [] { barrier_of_process.forget_loser(); });
}

}  // namespace

}  // namespace lazult::ds
