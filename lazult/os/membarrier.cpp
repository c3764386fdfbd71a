// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/membarrier.hpp"

#include <atomic>
#include <cerrno>
#include <ctime>

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lazult/os/thread.hpp"

namespace lazult::os {
namespace {

bool call(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

// Registers the process, and tries the barrier, because a registration alone proves nothing.
bool register_process() noexcept {
    return call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
           call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

// Registers early, because the kernel registers a process with one thread at once. A process with
// several threads, such as those of OpenMP, waits for some ten milliseconds, and a program would
// notice that at its first use of the library.
[[gnu::constructor]] void register_while_alone() {
    if (__libc_single_threaded != 0) {
        // the result is not needed: register_process() tries the barrier
        call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    }
}

// Repeats a barrier that failed. EPERM may mean that a process restored from a checkpoint has lost
// its registration; then registering again helps. In a sandbox EPERM stays, and the function fails.
bool call_again() noexcept {
    constexpr int most_tries = 100;
    for (int tries = 0; tries < most_tries && (errno == EPERM || errno == ENOMEM); ++tries) {
        const bool may_be_registered =
            errno == ENOMEM || call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
        if (!may_be_registered && errno != ENOMEM) {
            return false;
        }
        if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
            return true;
        }
        yield_thread();
    }
    return false;
}

// A full barrier of the calling thread, by a read-modify-write because TSan models no bare fence.
void local_barrier() noexcept {
    static std::atomic<int> word{0};
    // seq_cst for its place in the one total order; pairs with the same call in other threads.
    word.fetch_add(1, std::memory_order_seq_cst);
}

// One bit for each processor: more than any kernel is built for. Fixed, to allocate nothing.
using processor_bits = unsigned long[1024 / sizeof(unsigned long)];

bool is_moved_to(unsigned processor) noexcept {
    constexpr unsigned bits = 8 * sizeof(unsigned long);
    processor_bits one{};
    one[processor / bits] = 1UL << processor % bits;
    return ::syscall(SYS_sched_setaffinity, 0, sizeof one, one) == 0;
}

// Moves the calling thread to every processor, and back to its own set. Returns false if it may
// move to none. Processors that the kernel refuses are not the process's.
bool visit_all() noexcept {
    processor_bits before{};
    const long bytes = ::syscall(SYS_sched_getaffinity, 0, sizeof before, before);
    if (bytes <= 0) {
        return false;
    }
    bool any = false;
    for (unsigned processor = 0; processor < 8 * static_cast<unsigned>(bytes); ++processor) {
        any |= is_moved_to(processor);
    }
    if (any) {
        ::syscall(SYS_sched_setaffinity, 0, sizeof before, before);
    }
    return any;
}

}  // namespace

bool membarrier_available() noexcept {
    static const bool available = register_process();
    return available;
}

bool membarrier() noexcept {
    if (!membarrier_available()) {
        local_barrier();
        return false;
    }
    if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
        return true;
    }
    const int error_number = errno;
    const bool is_done = call_again();
    errno = error_number;
    return is_done;
}

void reach_every_processor() noexcept {
    local_barrier();
    const int error_number = errno;
    if (!visit_all()) {
        const timespec moment{0, 10'000'000};
        ::nanosleep(&moment, nullptr);
    }
    errno = error_number;
    local_barrier();
}

}  // namespace lazult::os
