// SPDX-License-Identifier: BSD-3-Clause
// Entering and leaving worksharing constructs, and dividing loops.
#pragma once

#include "team.hpp"

namespace lazult::omp {

// All free, as before a region.
void reset_shares(team& region) noexcept;

// The thread meets its next construct. True: it is the first one there, describes the construct and publishes it.
bool enter_share(thread& t) noexcept;
void publish_share(thread& t) noexcept;
// At its end, where there is no barrier.
void leave_share(thread& t) noexcept;
// Before the barrier at its end.
void pass_share(thread& t) noexcept;

// What the program passes besides the bounds.
struct loop_request {
    loop_bounds bounds;
    std::uint32_t schedule;  // with schedule_monotonic, a thread's iterations ascend
    std::uint64_t chunk;
    bool is_ordered = false;
};

constexpr std::uint32_t in_order(schedule_kind kind) noexcept { return kind | schedule_monotonic; }
loop_bounds bounds_of(long start, long end, long step) noexcept;
loop_bounds bounds_of(bool up, std::uint64_t start, std::uint64_t end, std::uint64_t step) noexcept;
// The kind and the chunk that `runtime` stands for, and without the bit for monotonic.
loop_request resolved(loop_request wanted) noexcept;

void describe_loop(work_share& share, const loop_request& wanted, std::uint32_t team_size) noexcept;
// The next iterations of the thread's loop, in thread::at. False: there are none.
bool take_chunk(thread& t) noexcept;

// Of ordered loops: until it is the turn of the thread's chunk; and giving the turn to the next one.
void await_turn(thread& t);
void pass_turn(thread& t);

}  // namespace lazult::omp
