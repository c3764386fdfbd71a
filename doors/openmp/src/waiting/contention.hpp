// SPDX-License-Identifier: BSD-3-Clause
// Whether another program wants the processor of an OS thread. If so, a thread that yields is
// behind all threads of that program for a time slice, a few milliseconds. A thread that sleeps is
// soon in turn when it is woken, and a thread that spins goes on until its own time slice ends. So
// a thread that has lost the processor by a yield does not yield for a while. What a crowd of our
// own threads does meanwhile takes microseconds, or else so long that a sleep does not matter.
//
// If the team has at most one thread for each processor, one long yield shows another program. In a
// crowd the team's own threads also run during a yield, and now and then they take that long. So in
// a crowd two long yields in a row show another program.
//
// A thread's own. Times are in nanoseconds, of a clock of the caller's.
#pragma once

#include <cstdint>

namespace lazult::omp {

class contention {
public:
    static constexpr std::int64_t too_long = 500'000;
    static constexpr std::int64_t remembered = 100'000'000;
    static constexpr std::int64_t longest_spin = 10'000;  // about what a sleep costs

    bool is_known(std::int64_t now) const noexcept { return now < until_; }
    // A yield has begun and ended at these times.
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
    bool was_long_ = false;  // the last yield
};

}  // namespace lazult::omp
