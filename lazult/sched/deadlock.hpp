// SPDX-License-Identifier: BSD-3-Clause
// A process in which nothing can run any more. One OS thread uses it.
//
// What is looked at is not our own account of who may wake whom, but the kernel's: a process is dead when every OS thread but the caller's
// waits at a futex without a deadline, no other process can reach those futexes, the program handles no signals, and there is a
// unit that has not ended. Streams that sleep for want of work wait so; so do threads that wait for a mutex, a condition, the end of another
// thread, and the thread of the timers when no timer is armed. Whoever polls, reads, sleeps or waits with a deadline does not: an
// event that is expected, a timer, a socket, a message keep the process alive. Two looks some time apart must find the same threads,
// none of which has run in between: then there was a moment at which all of them slept, and nobody is left to wake anybody.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lazult/core/core.hpp"
#include "lazult/os/os.hpp"

namespace lazult::sched {

// What a suspended unit waits for, as far as its door knows.
struct known_wait {
    const char* kind;                             // "mutex"
    const void* object;                           // where it is
    const core::work_unit* held_by = nullptr;     // of a mutex, where that is known
    const core::work_unit* for_end_of = nullptr;  // then `object` is that unit
};

// Floor 7 knows what units wait for, and tells it here, for the process's life. While nothing in the process runs.
using wait_describer = void (*)(const core::work_unit& waiting, std::vector<known_wait>& into);
void set_wait_describer(wait_describer tell) noexcept;

class deadlock_finder {
public:
    static constexpr std::int64_t between_looks_ns = 100'000'000;

    // Whether to report now. Takes between_looks_ns where it seems so. Once for each deadlock.
    bool look();
    // While nothing runs. Each suspended unit, what it waits for, its backtrace; and who wait for each other in a circle.
    static std::string report();

private:
    std::uint64_t steps_ = 0;
    bool reported_ = false;
};

}  // namespace lazult::sched
