// SPDX-License-Identifier: BSD-3-Clause
// What the threads of a team share of one worksharing construct. Several are in flight where
// constructs end without a barrier: the n-th construct of a region uses slot n modulo their number,
// once everybody has left the one that was there. Where a thread is ahead of others by more than
// that, it stands elsewhere: see extra_share.hpp.
//
// A loop is a number of iterations, from 0 on; the bounds that the program sees are computed from
// there. So loops on long and on unsigned long long, upwards and downwards, are one.
#pragma once

#include <cstdlib>
#include <utility>

#include "environment/icv.hpp"
#include "model/task.hpp"

namespace lazult::omp {

// A loop as the program wrote it. Arithmetic wraps around, as the program's does.
struct loop_bounds {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t step = 1;
    std::uint64_t count = 0;  // of iterations

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
    bool adds_fast = false;  // no addition to work_share::next wraps around
    bool is_split = false;   // see ds/split_loop.hpp

    std::uint64_t chunks() const noexcept {
        return chunk == 1 ? bounds.count
                          : bounds.count / chunk + (bounds.count % chunk == 0 ? 0 : 1);
    }
};

// Counts for a construct in a slot: how many threads have left it; and how many later constructs,
// which were due in the slot, stand elsewhere by now. The low bits of the construct's number are
// there, too. All are in one word, so that the last thread to leave knows which construct has the
// next turn.
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

// turn     for construct number n: 3n if the slot is free for it, 3n + 1 while it is being made,
//          3n + 2 if it is there; then it is free for a later one. If the construct ends with a
//          barrier, no thread writes that: behind it all threads know (thread::shares_passed).
//
// field     written by                  read by       order
// turn      first in, last out          all threads   release / acquire
// left      leaving threads, movers     the last one  acq_rel
// next      takers of chunks            the same      relaxed: it assigns iterations, and no data
// ordered   the thread with the turn    the others    seq_cst: see parking.hpp
// posted    posting threads             waiters       seq_cst: see parking.hpp
// all others  the first one in          all others    published by turn
struct alignas(base::cache_line) work_share {
    atomic<std::uint64_t> turn{0};
    loop_plan loop;
    bool is_extra = false;         // not in a slot
    std::uint32_t dimensions = 0;  // of a doacross loop
    std::uint64_t* inner_counts = nullptr;
    atomic<std::uint64_t>* posted = nullptr;  // for each iteration of its first loop
    void* memory = nullptr;                   // for the program: zeros at first
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

    work_share() = default;
    ~work_share() { free_parts(); }
    work_share(const work_share&) = delete;
    work_share& operator=(const work_share&) = delete;
};

constexpr std::uint64_t turn_of(std::uint64_t number) noexcept { return 3 * number; }

// What a thread knows of the construct that it is in.
struct share_position {
    // nullptr: a split loop, of which all threads know by themselves
    work_share* share = nullptr;
    const loop_plan* loop = nullptr;  // of the share, or the thread's own
    std::uint64_t chunk_begin = 0;
    std::uint64_t chunk_end = 0;
    std::uint64_t trip = 0;  // of static schedules
    bool has_chunk = false;
};

}  // namespace lazult::omp
