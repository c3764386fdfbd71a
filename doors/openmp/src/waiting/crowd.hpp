// SPDX-License-Identifier: BSD-3-Clause
// Tells whether there is a crowd: more OS threads in teams than processors. In a crowd a spinning
// thread yields now and then, because the thread that it waits for may need its processor.
#pragma once

namespace lazult::omp {

// Returns how many OS threads of teams there are for each processor, rounded up; at least 1.
int rivals_for_processor() noexcept;
inline bool is_crowded() noexcept { return rivals_for_processor() > 1; }
// Called when a level-1 team begins, with its size, and when it ends, with minus its size.
void count_engaged(int change) noexcept;
// Called in a forked child process: resets the number, because no other team exists there.
void forget_engaged() noexcept;

}  // namespace lazult::omp
