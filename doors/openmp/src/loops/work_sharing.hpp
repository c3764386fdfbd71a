// SPDX-License-Identifier: BSD-3-Clause
// Entering and leaving worksharing constructs, and dividing loops.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// Makes all slots free, as before a region.
void reset_shares(team& region) noexcept;

// Enters the thread's next construct. Returns true if the thread is the first one there: it must
// then describe the construct and call publish_share().
bool enter_share(thread& t) noexcept;
void publish_share(thread& t) noexcept;
// Leaves the construct if no barrier follows.
void leave_share(thread& t) noexcept;
// Leaves the construct before the barrier at its end.
void pass_share(thread& t) noexcept;

// A loop as the program asks for it.
struct loop_request {
    loop_bounds bounds;
    std::uint32_t schedule;  // with schedule_monotonic, a thread's iterations ascend
    std::uint64_t chunk;
    bool is_ordered = false;
};

constexpr std::uint32_t in_order(schedule_kind kind) noexcept { return kind | schedule_monotonic; }
loop_bounds bounds_of(long start, long end, long step) noexcept;
loop_bounds bounds_of(bool up, std::uint64_t start, std::uint64_t end, std::uint64_t step) noexcept;
// Returns the request with `runtime` and `auto` replaced by what they stand for in a task with
// variables `mine`.
loop_request resolved(loop_request wanted, const icvs& mine) noexcept;

// Sets up the construct's loop. Called by the first thread in.
void describe_loop(thread& first, const loop_request& wanted) noexcept;

// Enters a loop that the threads divide by ds/split_loop.hpp, without a share. Returns false if the
// loop must be entered as a share. All threads get the same answer.
bool enter_split_loop(thread& t, const loop_request& wanted) noexcept;
// Called by each thread that has entered a share: begins the share's loop if it is split.
void join_split_loop(thread& t) noexcept;
// Ends the thread's part of a split loop that may have been cancelled.
void give_up_loop(thread& t) noexcept;
// Forgets the team's split loops. Called if its threads may have entered different numbers of
// these. No other thread may be in the team's region.
void forget_loops(team& region) noexcept;

// Called before the fork. describe_first_loop() is for a region that is combined with a loop.
void describe_no_loop(team& fresh) noexcept;
void describe_first_loop(team& fresh, const loop_request& wanted) noexcept;
// Resets the thread's counts of the constructs that it has entered, and enters a split loop that is
// combined with the region. Called when the thread begins its part of the region.
void begin_shares(thread& t, const team& all) noexcept;

// Takes the thread's next iterations, into thread::at. Returns false if there are none.
bool take_chunk(thread& t) noexcept;

// For ordered loops: await_turn() waits for the turn of the thread's chunk, and pass_turn() gives
// the turn to the next chunk.
void await_turn(thread& t);
void pass_turn(thread& t);

}  // namespace lazult::omp
