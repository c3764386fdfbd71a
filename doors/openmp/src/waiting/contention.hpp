// SPDX-License-Identifier: BSD-3-Clause
// Detects whether another program wants the processor of an OS thread. If so, a thread that yields
// waits for a time slice of that program, a few milliseconds. A thread that sleeps runs soon after
// it is woken, and a thread that spins goes on until its own time slice ends. So after a yield that
// took too long, the thread does not yield for a while.
//
// If OpenMP has at most one thread for each processor, one long yield shows another program. In a
// crowd OpenMP's own threads run during a yield, usually for microseconds, but now and then for as
// long. So in a crowd only two long yields in a row show another program.
//
// Each OS thread has its own object. Times are in nanoseconds, by any clock of the caller.
#pragma once

#include <cstdint>

namespace lazult::omp {

class contention {
public:
    static constexpr std::int64_t too_long = 500'000;
    static constexpr std::int64_t remembered = 100'000'000;
    static constexpr std::int64_t longest_spin = 10'000;  // about what a sleep costs

    bool is_known(std::int64_t now) const noexcept { return now < until_; }
    // Notes a yield that began and ended at these times.
    void note_yield(std::int64_t before, std::int64_t after, bool is_crowded) noexcept {
        if (after - before <= too_long) {
            was_long_ = false;
            return;
        }
        if (!is_crowded || was_long_) {
            until_ = after + remembered;
        }
        was_long_ = true;
    }

private:
    std::int64_t until_ = 0;
    bool was_long_ = false;  // whether the last yield was long
};

}  // namespace lazult::omp
