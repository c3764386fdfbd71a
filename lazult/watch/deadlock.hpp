// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether nothing in the process can run any more. Only the monitor's OS thread uses it.
//
// It relies on the kernel's account of sleeping threads, not on an account of its own of which
// thread may wake which. A process is dead if every OS thread but the caller's waits at a futex
// without a deadline, no other process can reach those futexes, the program handles no signals, and
// there is a unit that has not ended. Streams that sleep because they have no work wait like this.
// So do threads that wait for a mutex, a condition or the end of another thread, and the thread of
// the timers when no timer is armed. A thread that polls, reads, sleeps or waits with a deadline
// does not wait like this. So an expected event, a timer, a socket or a message keeps the process
// alive. Two looks some time apart must find the same threads, and none of them may have run in
// between. Then there was a moment at which all of them slept, and no thread is left to wake
// another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lazult/watch/known_wait.hpp"

namespace lazult::watch {

// Appends what a suspended unit waits for. sync/ registers its function here when it is loaded. The
// function is called while nothing in the process runs.
using wait_describer = void (*)(const core::work_unit& waiting, std::vector<known_wait>& into);
void set_wait_describer(wait_describer tell) noexcept;

class deadlock_finder {
public:
    static constexpr std::int64_t between_looks_ns = 100'000'000;

    // `awaits_events` returns whether something from outside may still make a unit ready.
    explicit deadlock_finder(bool (*awaits_events)() noexcept) noexcept
        : awaits_events_(awaits_events) {}

    // Returns true once for each deadlock, when it is to be reported. If the first look finds a
    // deadlock, waits between_looks_ns for the second one.
    bool look();
    // Called while nothing runs. Returns a text that lists the circles of units that wait for each
    // other, and each suspended unit with what it waits for and its backtrace.
    static std::string report();

private:
    bool (*awaits_events_)() noexcept;
    std::uint64_t steps_ = 0;
    bool reported_ = false;
};

}  // namespace lazult::watch
