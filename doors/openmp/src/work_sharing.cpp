// SPDX-License-Identifier: BSD-3-Clause
#include "work_sharing.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "waiting.hpp"

namespace lazult::omp {
namespace {

constexpr std::uint64_t turn_of(std::uint64_t number) noexcept { return 3 * number; }

void free_parts(work_share& s) noexcept {
    std::free(std::exchange(s.memory, nullptr));
    delete[] std::exchange(s.inner_counts, nullptr);
    delete[] std::exchange(s.posted, nullptr);
    s.dimensions = 0;
    s.reductions = nullptr;
}

// --- dividing

bool set_chunk(thread& t, std::uint64_t begin, std::uint64_t end) noexcept {
    t.at.chunk_begin = begin;
    t.at.chunk_end = end;
    t.at.has_chunk = begin < end;
    return t.at.has_chunk;
}

bool take_static_block(thread& t, const work_share& s) noexcept {
    if (t.at.trip++ != 0) {
        return set_chunk(t, 0, 0);
    }
    const std::uint64_t size = t.its_team->size;
    const std::uint64_t least = s.bounds.count / size;
    const std::uint64_t larger = s.bounds.count % size;
    const std::uint64_t begin = t.number * least + std::min<std::uint64_t>(t.number, larger);
    return set_chunk(t, begin, begin + least + (t.number < larger ? 1 : 0));
}

bool take_static_chunk(thread& t, const work_share& s) noexcept {
    const std::uint64_t number = t.at.trip++ * t.its_team->size + t.number;
    if (number > (s.bounds.count - 1) / s.chunk || s.bounds.count == 0) {
        return set_chunk(t, 0, 0);
    }
    const std::uint64_t begin = number * s.chunk;
    return set_chunk(t, begin, begin + std::min(s.chunk, s.bounds.count - begin));
}

bool take_dynamic(thread& t, work_share& s) noexcept {
    const std::uint64_t count = s.bounds.count;
    if (s.adds_fast) LAZULT_LIKELY {
        const std::uint64_t begin = s.next.fetch_add(s.chunk, std::memory_order_relaxed);
        return begin < count ? set_chunk(t, begin, std::min(begin + s.chunk, count)) : set_chunk(t, 0, 0);
    }
    std::uint64_t begin = s.next.load(std::memory_order_relaxed);
    while (begin < count) {
        const std::uint64_t end = begin + std::min(s.chunk, count - begin);
        if (s.next.compare_exchange_weak(begin, end, std::memory_order_relaxed, std::memory_order_relaxed)) {
            return set_chunk(t, begin, end);
        }
    }
    return set_chunk(t, 0, 0);
}

bool take_guided(thread& t, work_share& s) noexcept {
    const std::uint64_t count = s.bounds.count;
    const std::uint64_t size = t.its_team->size;
    std::uint64_t begin = s.next.load(std::memory_order_relaxed);
    while (begin < count) {
        const std::uint64_t left = count - begin;
        const std::uint64_t share = std::max((left + size - 1) / size, s.chunk);
        const std::uint64_t end = begin + std::min(share, left);
        if (s.next.compare_exchange_weak(begin, end, std::memory_order_relaxed, std::memory_order_relaxed)) {
            return set_chunk(t, begin, end);
        }
    }
    return set_chunk(t, 0, 0);
}

}  // namespace

void reset_shares(team& region) noexcept {
    for (std::size_t i = 0; i < share_slots; ++i) {
        free_parts(region.shares[i]);
        region.shares[i].turn.store(turn_of(i), std::memory_order_relaxed);  // published by the fork
        region.shares[i].left.store(0, std::memory_order_relaxed);
    }
    region.singles.store(0, std::memory_order_relaxed);
}

bool enter_share(thread& t) noexcept {
    const std::uint64_t number = t.shares_entered++;
    team& all = *t.its_team;
    work_share& s = all.shares[number % share_slots];
    t.at = share_position{};
    t.at.share = &s;
    const std::uint64_t free = turn_of(number);
    short_wait patience;
    for (;;) {
        // pairs with: publish_share() and leave_share(), stores of turn
        std::uint64_t seen = s.turn.load(std::memory_order_acquire);
        // acquire pairs with: leave_share(), store; on failure with: publish_share(), store, which may have come meanwhile
        if (seen == free && s.turn.compare_exchange_strong(seen, free + 1, std::memory_order_acquire,
                                                           std::memory_order_acquire)) {
            all.used_shares.store(true, std::memory_order_relaxed);
            return true;
        }
        if (seen == free + 2) {
            return false;
        }
        patience.pause();
    }
}

void publish_share(thread& t) noexcept {
    // pairs with: enter_share(), load of turn
    t.at.share->turn.store(turn_of(t.shares_entered - 1) + 2, std::memory_order_release);
}

void leave_share(thread& t) noexcept {
    work_share& s = *t.at.share;
    if (s.is_ordered) {
        pass_turn(t);
    }
    // acq_rel pairs with: itself: what the others did in the construct
    if (s.left.fetch_add(1, std::memory_order_acq_rel) + 1 != t.its_team->size) {
        return;
    }
    free_parts(s);
    s.left.store(0, std::memory_order_relaxed);  // published by the next line
    // pairs with: enter_share(), load of turn
    s.turn.store(turn_of(t.shares_entered - 1 + share_slots), std::memory_order_release);
}

loop_bounds bounds_of(bool up, std::uint64_t start, std::uint64_t end, std::uint64_t step) noexcept {
    loop_bounds b{start, end, step, 0};
    if (up && start < end) {
        b.count = (end - start - 1) / step + 1;
    } else if (!up && start > end) {
        b.count = (start - end - 1) / (0 - step) + 1;
    }
    return b;
}

loop_bounds bounds_of(long start, long end, long step) noexcept {
    const auto first = static_cast<std::uint64_t>(start);
    const auto last = static_cast<std::uint64_t>(end);
    const auto by = static_cast<std::uint64_t>(step);
    loop_bounds b{first, last, by, 0};
    if (step > 0 && start < end) {
        b.count = (last - first - 1) / by + 1;
    } else if (step < 0 && start > end) {
        b.count = (first - last - 1) / (0 - by) + 1;
    }
    return b;
}

loop_request resolved(loop_request wanted) noexcept {
    wanted.schedule &= ~static_cast<std::uint32_t>(schedule_monotonic);
    if (wanted.schedule == schedule_runtime) {
        const icvs& mine = me().running->variables;
        wanted.schedule = mine.schedule & ~static_cast<std::uint32_t>(schedule_monotonic);
        wanted.chunk = static_cast<std::uint64_t>(mine.chunk);
    }
    if (wanted.schedule == schedule_auto) {
        wanted.schedule = schedule_static;
        wanted.chunk = 0;
    }
    if (wanted.schedule != schedule_static && wanted.chunk == 0) {
        wanted.chunk = 1;
    }
    return wanted;
}

void describe_loop(work_share& s, const loop_request& wanted, std::uint32_t team_size) noexcept {
    constexpr std::uint64_t half = std::uint64_t{1} << 62;
    s.bounds = wanted.bounds;
    s.schedule = wanted.schedule;
    s.chunk = wanted.chunk;
    s.is_ordered = wanted.is_ordered;
    s.adds_fast = wanted.bounds.count < half && wanted.chunk < half / (team_size + 1);
    s.next.store(0, std::memory_order_relaxed);
    s.ordered.store(0, std::memory_order_relaxed);
}

bool take_chunk(thread& t) noexcept {
    work_share& s = *t.at.share;
    if (s.is_ordered) {
        pass_turn(t);
    }
    switch (s.schedule) {
        case schedule_dynamic: return take_dynamic(t, s);
        case schedule_guided: return take_guided(t, s);
        default: return s.chunk == 0 ? take_static_block(t, s) : take_static_chunk(t, s);
    }
}

void await_turn(thread& t) {
    if (!t.at.share->is_ordered || !t.at.has_chunk) {
        return;
    }
    const atomic<std::uint64_t>* const turn = &t.at.share->ordered;
    const std::uint64_t mine = t.at.chunk_begin;
    // pairs with: pass_turn(), exchange
    wait_while(turn, [turn, mine] { return turn->load(std::memory_order_seq_cst) != mine; });
}

void pass_turn(thread& t) {
    if (!t.at.has_chunk) {
        return;
    }
    await_turn(t);
    // pairs with: await_turn()
    t.at.share->ordered.exchange(t.at.chunk_end, std::memory_order_seq_cst);
    t.at.has_chunk = false;
    wake_all(&t.at.share->ordered);
}

}  // namespace lazult::omp
