// SPDX-License-Identifier: BSD-3-Clause
// Decides when a waiting thread steals other threads' tasks. To move a task to another processor
// takes longer than to run a small task: three or four cache lines move, and the owner misses some
// of them afterwards. So if a stolen batch has run for too short a time, the thread steals nothing
// for many times as long. Then it asks for a few tasks, to see whether they are larger by now.
//
// Each thread has its own object. Times are in nanoseconds, by any clock of the caller.
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

    // Returns true if the thread may steal, whatever the time is.
    bool are_due() const noexcept { return tasks_ == 0 && due_at_ == 0; }
    // Judges the last batch, and returns whether the thread may steal. A thread sleeps after `spin`
    // ns without a task, so no pause is as long as that.
    bool are_due(std::int64_t now, std::int64_t spin) noexcept {
        if (tasks_ != 0) {
            judge(now, std::min(longest_pause, spin / 4 * 3));
        }
        return now >= due_at_;
    }
    std::uint32_t wanted() const noexcept { return due_at_ == 0 ? most_tasks : sample; }
    // Notes that the thread begins to run so many stolen tasks. The time until the next call of
    // are_due() is taken to be theirs.
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

    std::uint32_t tasks_ = 0;  // in the last batch; 0: it has been judged
    std::int64_t began_at_ = 0;
    std::int64_t due_at_ = 0;  // 0: at any time
};

}  // namespace lazult::omp
