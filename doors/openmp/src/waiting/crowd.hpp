// SPDX-License-Identifier: BSD-3-Clause
// Whether the OS threads in teams are more than the processors. Then each spinning thread gives way
// now and then: the thread that it waits for wants this processor.
#pragma once

namespace lazult::omp {

// How many OS threads of teams there are for each processor; at least 1.
int rivals_for_processor() noexcept;
inline bool is_crowded() noexcept { return rivals_for_processor() > 1; }
// A level-1 team begins (its size) or ends (minus that).
void count_engaged(int change) noexcept;
// In a child process: there are no other teams.
void forget_engaged() noexcept;

}  // namespace lazult::omp
