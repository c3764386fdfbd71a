// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the interface that start and continue loops and sections have in common.
#pragma once

#include "abi/export.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/caller.hpp"

namespace lazult::omp {

// Optional parts of a construct: task reductions, and memory that its threads share. `*memory`
// holds the size of that memory on entry, and its address afterwards.
struct share_extras {
    std::uintptr_t* reductions = nullptr;
    void** memory = nullptr;
};

void enter_loop(const loop_request& wanted, const share_extras& extras);

struct doacross_schedule {
    std::uint32_t kind;
    std::uint64_t chunk;
};
void enter_doacross(unsigned dimensions, const std::uint64_t* counts, doacross_schedule how,
                    const share_extras& extras);

template <class Number>
bool next_chunk(Number* from, Number* to) noexcept {
    thread& t = *me().here;
    if (!take_chunk(t)) {
        return false;
    }
    const loop_bounds& bounds = t.at.loop->bounds;
    *from = static_cast<Number>(bounds.at(t.at.chunk_begin));
    *to = static_cast<Number>(bounds.at(t.at.chunk_end));
    return true;
}

// If `from` is null, the program divides the loop itself.
template <class Number>
bool start_loop(const loop_request& wanted, Number* from, Number* to,
                const share_extras& extras = {}) {
    enter_loop(wanted, extras);
    return from == nullptr || next_chunk(from, to);
}

template <class Number>
bool start_doacross(unsigned dimensions, const Number* counts, doacross_schedule how, Number* from,
                    Number* to, const share_extras& extras = {}) {
    static_assert(sizeof(Number) == sizeof(std::uint64_t));
    enter_doacross(dimensions, reinterpret_cast<const std::uint64_t*>(counts), how, extras);
    return from == nullptr || next_chunk(from, to);
}

inline loop_request loop_of(long start, long end, long step, std::uint32_t schedule, long chunk,
                            bool is_ordered = false) noexcept {
    return {bounds_of(start, end, step), schedule, static_cast<std::uint64_t>(chunk), is_ordered};
}
// Sections are iterations 1 to count.
loop_bounds section_bounds(unsigned count) noexcept;

void end_construct();
bool end_cancellable_construct();

}  // namespace lazult::omp
