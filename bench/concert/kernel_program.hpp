// SPDX-License-Identifier: BSD-3-Clause
// The microkernel's program, which real and simulated ranks share: its objects, its threads, and
// how a rank begins them.
#pragma once

#include "bench/concert/plan.hpp"

#include <lazult_concert_objects.hpp>
#include <lazult_concert_simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lazult::bench {

// One on each rank. Its methods read, so that several may be inside.
class body {
public:
    explicit body(std::uint64_t seed) : seed_(seed) {}
    std::uint64_t first() const { return counted(1); }
    std::uint64_t second() const { return counted(2); }
    std::uint64_t third() const { return counted(3); }
    std::uint64_t accesses() const { return accesses_; }

private:
    std::uint64_t counted(std::uint64_t n) const {
        ++accesses_;
        return seed_ * 1000 + n;
    }
    std::uint64_t seed_;
    mutable std::uint64_t accesses_ = 0;
};
using body_ptr = concert::global_ptr<body>;

// What the threads of a rank share. They run in one strand, one at a time.
struct kernel_state {
    std::vector<planned_thread> plan;
    std::vector<body_ptr> bodies;  // by rank
    std::uint64_t result = 0;
    std::uint64_t ended = 0;
    bool is_simulated = false;  // a step is a nanosecond of virtual time
};

// Each process measures the length of its steps. The result does not depend on it.
inline void end_thread(kernel_state* of, std::uint64_t steps, std::uint64_t x, std::uint64_t y,
                       std::uint64_t z) {
    const std::uint64_t seed = x ^ (y << 8) ^ (z << 16);
    if (of->is_simulated) {
        concert::spend(static_cast<double>(steps));
    } else {
        compute(seed, steps);
    }
    of->result += compute(seed, 1) >> 16;
    ++of->ended;
}

// A pointer that does not leave its rank. It stands in arguments of calls at a place.
struct own_state {
    kernel_state* of;
};

inline concert::outcome<void> work(std::int64_t number, own_state own) {
    kernel_state* const state = own.of;
    const planned_thread& mine = state->plan[static_cast<std::size_t>(number)];
    const body_ptr of = state->bodies[static_cast<std::size_t>(mine.rank)];
    if (state->is_simulated) {
        concert::spend_calls(4);  // this one, and those below
    }
    return concert::all(concert::call(&body::first, of), concert::call(&body::second, of),
                        concert::call(&body::third, of))
        .keep(state, mine.steps)
        .then([](kernel_state* in, std::uint64_t steps, std::uint64_t x, std::uint64_t y,
                 std::uint64_t z) { end_thread(in, steps, x, y, z); });
}

inline concert::outcome<void> run_threads(std::int64_t count, own_state state) {
    return concert::each(0, count, work, state);
}

// All threads of a rank at once, as the paper's program does: see its Figure 3.
inline void run_all_threads(kernel_state& state, int rank) {
    concert::run(concert::on(rank, 0), run_threads, static_cast<std::int64_t>(state.plan.size()),
                 own_state{&state});
}

}  // namespace lazult::bench
