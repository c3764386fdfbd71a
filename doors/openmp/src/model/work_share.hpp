// SPDX-License-Identifier: BSD-3-Clause
// What the threads of a team share of one worksharing construct. Where constructs end without a
// barrier, threads may be in several at once. The n-th construct of a region uses slot n modulo the
// number of slots, after all threads have left the slot's former construct. If a thread is further
// ahead of the others, its construct gets memory of its own: see extra_share.hpp.
//
// A loop is stored as a number of iterations, counted from 0, and the bounds that the program sees
// are computed. So loops on long and on unsigned long long, upwards and downwards, need one
// implementation.
#pragma once

#include <cstdlib>
#include <utility>

#include "model/task.hpp"

namespace lazult::omp {

// The bounds of a loop in the program. Arithmetic on them is modulo 2^64.
struct loop_bounds {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t step = 1;
    std::uint64_t count = 0;  // number of iterations

    std::uint64_t at(std::uint64_t iteration) const noexcept {
        return iteration == count ? end : start + iteration * step;
    }
};

// How a loop is divided.
struct loop_plan {
    loop_bounds bounds;
    std::uint64_t chunk = 1;
    std::uint32_t schedule = schedule_static;
    bool is_ordered = false;
    bool adds_fast = false;  // fetch_add on work_share::next cannot wrap around
    bool is_split = false;   // threads divide it by ds::split_loop

    std::uint64_t chunks() const noexcept {
        return chunk == 1 ? bounds.count
                          : bounds.count / chunk + (bounds.count % chunk == 0 ? 0 : 1);
    }
};

// The value of work_share::left. The last thread to leave a construct learns from this one word
// which construct uses the slot next.
//   bits 0 to 23   how many threads have left the construct
//   bits 24 to 39  how many later constructs that were due in the slot have got memory elsewhere
//   bits 40 to 63  the low bits of the construct's number
class departures {
public:
    static constexpr std::uint64_t one_thread = 1;
    static constexpr std::uint64_t one_moved = std::uint64_t{1} << 24;
    static constexpr std::uint64_t none(std::uint64_t number) noexcept { return number << 40; }

    explicit constexpr departures(std::uint64_t word) noexcept : word_(word) {}
    constexpr std::uint64_t threads() const noexcept { return word_ & (one_moved - 1); }
    constexpr std::uint64_t moved() const noexcept { return word_ >> 24 & most_moved; }
    constexpr bool may_move_more() const noexcept { return moved() != most_moved; }
    constexpr bool are_of(std::uint64_t number) const noexcept {
        return word_ >> 40 == none(number) >> 40;
    }

private:
    static constexpr std::uint64_t most_moved = 0xffff;
    std::uint64_t word_;
};

// `turn` says how far construct n is, where n is its number in the region:
//   3n      the slot is free for it
//   3n + 1  the first thread in sets it up
//   3n + 2  threads may enter it; when all have left, `turn` becomes 3m for the next construct m
// If the construct ends with a barrier, no thread stores 3m, because behind the barrier all threads
// know that the slot is free (thread::shares_passed).
//
// field     written by                  read by       order
// turn      first in, last out          all threads   release / acquire
// left      leaving threads,            the last out  acq_rel
//           move_away()
// next      takers of chunks            the same      relaxed: it assigns iterations, and no data
// ordered   the thread with the turn    the others    seq_cst: see parking.hpp
// posted    posting threads             waiters       seq_cst: see parking.hpp
// all others  the first thread in       all others    published by turn
struct alignas(base::cache_line) work_share {
    atomic<std::uint64_t> turn{0};
    loop_plan loop;
    bool is_extra = false;         // has memory of its own: see extra_share.hpp
    std::uint32_t dimensions = 0;  // loops of a doacross nest; 0: none
    std::uint64_t* inner_counts = nullptr;
    atomic<std::uint64_t>* posted = nullptr;  // of each iteration of the outermost doacross loop
    void* memory = nullptr;                   // memory for the program, zeros at first
    std::uintptr_t* reductions = nullptr;
    bool has_parts() const noexcept {
        return memory != nullptr || inner_counts != nullptr || posted != nullptr ||
               reductions != nullptr || dimensions != 0;
    }
    void free_parts() noexcept {
        std::free(std::exchange(memory, nullptr));
        delete[] std::exchange(inner_counts, nullptr);
        delete[] std::exchange(posted, nullptr);
        dimensions = 0;
        reductions = nullptr;
    }
    alignas(base::cache_line) atomic<std::uint64_t> next{0};
    atomic<std::uint64_t> ordered{0};  // the first iteration of the chunk that has the turn
    atomic<std::uint64_t> left{0};

    ~work_share() { free_parts(); }
};

constexpr std::uint64_t turn_of(std::uint64_t number) noexcept { return 3 * number; }

// A thread's position in its worksharing construct.
struct share_position {
    // nullptr: a split loop that each thread has entered without a share
    work_share* share = nullptr;
    const loop_plan* loop = nullptr;  // the share's plan, or thread::own_loop
    std::uint64_t chunk_begin = 0;
    std::uint64_t chunk_end = 0;
    std::uint64_t trip = 0;  // chunks taken so far, if the schedule is static
    bool has_chunk = false;
};

}  // namespace lazult::omp
