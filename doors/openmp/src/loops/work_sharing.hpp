// SPDX-License-Identifier: BSD-3-Clause
// Entering and leaving worksharing constructs, and dividing loops.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// All free, as before a region.
void reset_shares(team& region) noexcept;

// The thread meets its next construct. True: it is the first one there, describes the construct and
// publishes it.
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
// The kind and the chunk that `runtime` stands for to a task with these variables, and without the
// bit for monotonic.
loop_request resolved(loop_request wanted, const icvs& mine) noexcept;

// By the first one in.
void describe_loop(thread& first, const loop_request& wanted) noexcept;

// A loop that each thread divides by itself, and that is no share of the team's: see
// ds/split_loop.hpp. False: it is to be entered as a share. All threads get the same answer.
bool enter_split_loop(thread& t, const loop_request& wanted) noexcept;
// By each thread that has entered a share: begins the share's loop if that is split.
void join_split_loop(thread& t) noexcept;
// By each thread of a loop that may have been cancelled.
void give_up_loop(thread& t) noexcept;
// Forgets all split loops of a team, if its threads may have entered different numbers of them. No
// other thread may be in the team's region.
void forget_loops(team& region) noexcept;

// Before the fork; and of a combined construct.
void describe_no_loop(team& fresh) noexcept;
void describe_first_loop(team& fresh, const loop_request& wanted) noexcept;
// By a thread that begins its part of a region.
void begin_shares(thread& t, const team& all) noexcept;

// The next iterations of the thread's loop, in thread::at. False: there are none.
bool take_chunk(thread& t) noexcept;

// Of ordered loops: until it is the turn of the thread's chunk; and giving the turn to the next
// one.
void await_turn(thread& t);
void pass_turn(thread& t);

}  // namespace lazult::omp
