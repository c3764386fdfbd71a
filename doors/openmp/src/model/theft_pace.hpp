// SPDX-License-Identifier: BSD-3-Clause
// Decides when a waiting thread takes other threads' tasks. To move a task to another processor
// takes longer than to run a small one: it moves three or four cache lines, and the owner misses
// some of them afterwards. So a thread that has found a batch not worth its while leaves other
// threads alone for many times as long as the batch took. Then it asks for a few tasks only, which
// show whether tasks are larger by now.
//
// A thread's own. Times are in nanoseconds, of a clock of the caller's.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lazult::omp {

class theft_pace {
public:
    static constexpr std::uint32_t most_tasks = 32;
    static constexpr std::uint32_t sample = 4;
    static constexpr std::int64_t least_of_a_task = 250;
    static constexpr std::int64_t times_as_long = 32;
    static constexpr std::int64_t longest_pause = 40'000;

    // Nothing is known that speaks against it.
    bool are_due() const noexcept { return tasks_ == 0 && due_at_ == 0; }
    // `spin`: after so long without a task the thread goes to sleep, which is not what a pause is
    // for.
    bool are_due(std::int64_t now, std::int64_t spin) noexcept {
        if (tasks_ != 0) {
            judge(now, std::min(longest_pause, spin / 4 * 3));
        }
        return now >= due_at_;
    }
    std::uint32_t wanted() const noexcept { return due_at_ == 0 ? most_tasks : sample; }
    // The thread has so many tasks of another's, and runs them now. The time until it asks again is
    // theirs.
    void begin(std::uint32_t tasks, std::int64_t now) noexcept {
        tasks_ = tasks;
        began_at_ = now;
    }

private:
    void judge(std::int64_t now, std::int64_t longest) noexcept {
        const std::int64_t taken = now - began_at_;
        const bool was_worthwhile = taken >= least_of_a_task * tasks_;
        due_at_ = was_worthwhile ? 0 : now + std::min(times_as_long * taken, longest);
        tasks_ = 0;
    }

    std::uint32_t tasks_ = 0;  // of the last batch, until it is judged
    std::int64_t began_at_ = 0;
    std::int64_t due_at_ = 0;  // 0: at any time
};

}  // namespace lazult::omp
