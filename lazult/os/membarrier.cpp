// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/membarrier.hpp"

#include <atomic>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lazult::os {
namespace {

bool call(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

// Registration alone is not believed: the barrier itself is tried once.
bool register_process() noexcept {
    return call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

// A full barrier by a read-modify-write, since TSan does not model a bare fence.
void local_barrier() noexcept {
    static std::atomic<int> word{0};
    // seq_cst for its place in the one total order; pairs with the same call in other threads.
    word.fetch_add(1, std::memory_order_seq_cst);
}

}  // namespace

bool membarrier_available() noexcept {
    static const bool available = register_process();
    return available;
}

void membarrier() noexcept {
    if (!membarrier_available()) {
        local_barrier();
        return;
    }
    while (!call(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
        // EPERM: a process that was restored from a checkpoint has lost its registration. Callers rely on
        // the barrier, so returning without it is not a choice.
        call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    }
}

}  // namespace lazult::os
