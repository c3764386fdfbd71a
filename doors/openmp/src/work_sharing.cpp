// SPDX-License-Identifier: BSD-3-Clause
#include "work_sharing.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "extra_share.hpp"
#include "waiting.hpp"

namespace lazult::omp {
namespace {

static_assert(share_slots <= 32);

constexpr std::uint32_t slot_bit(std::uint64_t number) noexcept { return 1U << number % share_slots; }

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

// By the first one in.
void take_over(team& all, work_share& s, std::uint64_t number) noexcept {
    if (s.has_parts()) LAZULT_UNLIKELY {
        s.free_parts();  // of one that ended with a barrier
    }
    s.left.store(departures::none(number), std::memory_order_relaxed);  // published by publish_share()
    if (!all.used_shares.load(std::memory_order_relaxed)) {
        all.used_shares.store(true, std::memory_order_relaxed);
    }
}

// --- split loops: each thread has its own range of chunks, until that is empty, and then takes from others'. The last chunk is
// nobody's until all ranges are empty, and who takes it takes nothing after it: programs that gcc compiled know by the last
// iteration that a thread ran whether a lastprivate variable is that thread's.

constexpr std::uint32_t most_that_split = 64;  // threads
constexpr std::uint32_t least_chunks =
    32;  // for each of them: with fewer, one line that all write costs no more

using range_piece = ds::split_range<>::piece;

std::uint32_t chunks_of(const work_share& s) noexcept {
    return static_cast<std::uint32_t>(s.chunk == 1 ? s.bounds.count
                                                   : (s.bounds.count + s.chunk - 1) / s.chunk);
}

range_piece initial_range(const work_share& s, std::uint32_t number, std::uint32_t team_size) noexcept {
    const std::uint32_t shared = chunks_of(s) - 1;
    const std::uint32_t least = shared / team_size;
    const std::uint32_t larger = shared % team_size;
    const std::uint32_t begin = number * least + std::min(number, larger);
    return {begin, begin + least + (number < larger ? 1 : 0)};
}

bool set_chunks(thread& t, const work_share& s, range_piece chunks) noexcept {
    const std::uint64_t begin = chunks.begin * s.chunk;
    return set_chunk(t, begin, std::min(begin + chunks.size() * s.chunk, s.bounds.count));
}

// The thief begins with the first of what it got, so that each theft is a step forward.
bool begin_stolen(thread& t, work_share& s, range_piece got) noexcept {
    s.ranges[t.number].left.set(s.split_tag, {got.begin + 1, got.end});
    return set_chunks(t, s, {got.begin, got.begin + 1});
}

bool take_last(thread& t, work_share& s) noexcept {
    const std::uint64_t taken = s.split_tag;
    if (s.last.load(std::memory_order_relaxed) == taken ||
        s.last.exchange(taken, std::memory_order_relaxed) == taken) {
        return set_chunk(t, 0, 0);
    }
    t.at.has_last = true;
    const std::uint32_t chunks = chunks_of(s);
    return set_chunks(t, s, {chunks - 1, chunks});
}

// A thread that looks while others have their loot in hand, and not in their ranges, goes to the loop's end too early: it costs
// time, for so few instructions.
bool take_split(thread& t, work_share& s) noexcept {
    if (t.at.has_last) {
        return set_chunk(t, 0, 0);
    }
    const std::uint32_t size = t.its_team->size;
    const auto one = [](std::uint32_t) { return 1U; };
    if (const range_piece own =
            s.ranges[t.number].left.take(s.split_tag, initial_range(s, t.number, size), one);
        !own.empty()) LAZULT_LIKELY {
        return set_chunks(t, s, own);
    }
    for (std::uint32_t i = 1; i < size; ++i) {
        const std::uint32_t victim = (t.number + i) % size;
        if (const range_piece got = s.ranges[victim].left.steal(s.split_tag, initial_range(s, victim, size));
            !got.empty()) {
            return begin_stolen(t, s, got);
        }
    }
    return take_last(t, s);
}

bool provide_ranges(work_share& s, std::uint32_t team_size) noexcept {
    if (s.range_count < team_size) {
        s.ranges.reset(new (std::nothrow) thread_range[team_size]);
        s.range_count = s.ranges == nullptr ? 0 : team_size;
    }
    return s.range_count >= team_size;
}

// Not where the program wants an order, where there is little to divide, or too much for the ranges.
bool can_split(work_share& s, bool is_monotonic, std::uint32_t team_size) noexcept {
    if (is_monotonic || s.is_ordered || !s.adds_fast || s.schedule != schedule_dynamic || team_size < 2 ||
        team_size > most_that_split) {
        return false;
    }
    const std::uint64_t chunks = s.bounds.count / s.chunk;
    return chunks >= least_chunks * team_size && chunks < ds::split_range<>::largest &&
           provide_ranges(s, team_size);
}

// A new tag makes all ranges full.
void split(work_share& s) noexcept {
    if (++s.split_tag == ds::split_range<>::no_tag) LAZULT_UNLIKELY {
        for (std::uint32_t i = 0; i < s.range_count; ++i) {
            s.ranges[i].left.forget();
        }
        s.last.store(ds::split_range<>::no_tag, std::memory_order_relaxed);  // published by turn
        ++s.split_tag;
    }
}

// A thread that waits for others to leave a construct: not for long, for they may wait for it in their turn, and not if they
// might be gone, or have kept somebody waiting before.
bool goes_elsewhere(const team& all, const work_share& s, unsigned rounds) noexcept {
    constexpr unsigned most = 512;
    return rounds >= most || all.is_cancelled() ||
           departures(s.left.load(std::memory_order_relaxed)).moved() != 0;
}

}  // namespace

void work_share::free_parts() noexcept {
    std::free(std::exchange(memory, nullptr));
    delete[] std::exchange(inner_counts, nullptr);
    delete[] std::exchange(posted, nullptr);
    dimensions = 0;
    reductions = nullptr;
}

void reset_shares(team& region) noexcept {
    for (std::size_t i = 0; i < share_slots; ++i) {
        work_share& s = region.shares[i];
        if (s.turn.load(std::memory_order_relaxed) != turn_of(i)) {
            s.free_parts();
            s.turn.store(turn_of(i), std::memory_order_relaxed);  // published by the fork
            s.left.store(departures::none(i), std::memory_order_relaxed);
        }
    }
    free_extras(region);
    for (void* memory : region.abandoned) {
        std::free(memory);
    }
    region.abandoned.clear();
    region.singles.store(0, std::memory_order_relaxed);
}

bool enter_share(thread& t) noexcept {
    const std::uint64_t number = t.shares_entered++;
    team& all = *t.its_team;
    work_share& s = all.shares[number % share_slots];
    t.at = share_position{};
    t.at.share = &s;
    const std::uint64_t made = turn_of(number) + 2;
    const bool was_passed = (t.shares_passed & slot_bit(number)) != 0;
    const std::uint64_t free = was_passed ? turn_of(number - share_slots) + 2 : turn_of(number);
    t.shares_passed &= ~slot_bit(number);
    short_wait patience;
    for (unsigned rounds = 0;; ++rounds) {
        // pairs with: publish_share() and leave_share(), stores of turn
        std::uint64_t seen = s.turn.load(std::memory_order_acquire);
        // acquire pairs with: leave_share(), store; on failure with: publish_share(), store, which may have come meanwhile
        if (seen == free && s.turn.compare_exchange_strong(seen, made - 1, std::memory_order_acquire,
                                                           std::memory_order_acquire)) {
            take_over(all, s, number);
            return true;
        }
        if (seen == made) {
            return false;
        }
        if (seen > made || (seen < free && goes_elsewhere(all, s, rounds))) LAZULT_UNLIKELY {
            if (const entered_extra found = enter_extra(t, number); found != entered_extra::none) {
                return found == entered_extra::as_first;
            }
        }
        patience.pause();
    }
}

void publish_share(thread& t) noexcept {
    // pairs with: enter_share() and await_extra(), loads of turn
    t.at.share->turn.store(turn_of(t.shares_entered - 1) + 2, std::memory_order_release);
}

void leave_share(thread& t) noexcept {
    work_share& s = *t.at.share;
    if (s.is_ordered) {
        pass_turn(t);
    }
    if (s.is_extra) LAZULT_UNLIKELY {
        leave_extra(t);
        return;
    }
    // acq_rel pairs with: itself: what the others did in the construct; and move_away(), compare and exchange
    const departures before(s.left.fetch_add(departures::one_thread, std::memory_order_acq_rel));
    if (before.threads() + 1 != t.its_team->size) {
        return;
    }
    s.free_parts();
    // pairs with: enter_share(), load of turn
    s.turn.store(turn_of(t.shares_entered - 1 + share_slots * (before.moved() + 1)),
                 std::memory_order_release);
}

void pass_share(thread& t) noexcept {
    if (t.at.share->is_ordered) {
        pass_turn(t);
    }
    if (t.at.share->is_extra) LAZULT_UNLIKELY {
        leave_extra(t);
        return;
    }
    t.shares_passed |= slot_bit(t.shares_entered - 1);
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
    std::uint32_t order = wanted.schedule & schedule_monotonic;
    wanted.schedule &= ~static_cast<std::uint32_t>(schedule_monotonic);
    if (wanted.schedule == schedule_runtime) {
        const icvs& mine = me().running->variables;
        order |= mine.schedule & schedule_monotonic;
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
    wanted.schedule |= order;
    return wanted;
}

void describe_loop(work_share& s, const loop_request& wanted, std::uint32_t team_size) noexcept {
    constexpr std::uint64_t half = std::uint64_t{1} << 62;
    s.bounds = wanted.bounds;
    s.schedule = wanted.schedule & ~static_cast<std::uint32_t>(schedule_monotonic);
    s.chunk = wanted.chunk;
    s.is_ordered = wanted.is_ordered;
    s.adds_fast = wanted.bounds.count < half && wanted.chunk < half / (team_size + 1);
    s.is_split = can_split(s, (wanted.schedule & schedule_monotonic) != 0, team_size);
    if (s.is_split) {
        split(s);
        return;
    }
    s.next.store(0, std::memory_order_relaxed);
    s.ordered.store(0, std::memory_order_relaxed);
}

bool take_chunk(thread& t) noexcept {
    work_share& s = *t.at.share;
    if (s.is_ordered) {
        pass_turn(t);
    }
    if (s.is_split) {
        return take_split(t, s);
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
