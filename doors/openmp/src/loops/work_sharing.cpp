// SPDX-License-Identifier: BSD-3-Clause
#include "loops/work_sharing.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "environment/environment.hpp"
#include "loops/extra_share.hpp"
#include "threads/spinning.hpp"

namespace lazult::omp {
namespace {

static_assert(share_slots <= 32);

constexpr std::uint32_t slot_bit(std::uint64_t number) noexcept {
    return 1U << number % share_slots;
}

// --- dividing

bool set_chunk(thread& t, std::uint64_t begin, std::uint64_t end) noexcept {
    t.at.chunk_begin = begin;
    t.at.chunk_end = end;
    t.at.has_chunk = begin < end;
    return t.at.has_chunk;
}

bool take_static_block(thread& t, const loop_plan& p) noexcept {
    if (t.at.trip++ != 0) {
        return set_chunk(t, 0, 0);
    }
    const std::uint64_t size = t.its_team->size;
    const std::uint64_t least = p.bounds.count / size;
    const std::uint64_t larger = p.bounds.count % size;
    const std::uint64_t begin = t.number * least + std::min<std::uint64_t>(t.number, larger);
    return set_chunk(t, begin, begin + least + (t.number < larger ? 1 : 0));
}

bool take_static_chunk(thread& t, const loop_plan& p) noexcept {
    const std::uint64_t number = t.at.trip++ * t.its_team->size + t.number;
    if (number > (p.bounds.count - 1) / p.chunk || p.bounds.count == 0) {
        return set_chunk(t, 0, 0);
    }
    const std::uint64_t begin = number * p.chunk;
    return set_chunk(t, begin, begin + std::min(p.chunk, p.bounds.count - begin));
}

bool take_dynamic(thread& t, work_share& s) noexcept {
    const std::uint64_t count = s.loop.bounds.count;
    if (s.loop.adds_fast) LAZULT_LIKELY {
        const std::uint64_t begin = s.next.fetch_add(s.loop.chunk, std::memory_order_relaxed);
        return begin < count ? set_chunk(t, begin, std::min(begin + s.loop.chunk, count))
                             : set_chunk(t, 0, 0);
    }
    std::uint64_t begin = s.next.load(std::memory_order_relaxed);
    while (begin < count) {
        const std::uint64_t end = begin + std::min(s.loop.chunk, count - begin);
        if (s.next.compare_exchange_weak(begin, end, std::memory_order_relaxed,
                                         std::memory_order_relaxed)) {
            return set_chunk(t, begin, end);
        }
    }
    return set_chunk(t, 0, 0);
}

// As in libgomp, a chunk has the number of iterations that are left, divided by the number of
// threads. Programs expect this of the first chunk, too.
bool take_guided(thread& t, work_share& s) noexcept {
    const std::uint64_t count = s.loop.bounds.count;
    const std::uint64_t size = t.its_team->size;
    std::uint64_t begin = s.next.load(std::memory_order_relaxed);
    while (begin < count) {
        const std::uint64_t left = count - begin;
        const std::uint64_t share = std::max((left + size - 1) / size, s.loop.chunk);
        const std::uint64_t end = begin + std::min(share, left);
        if (s.next.compare_exchange_weak(begin, end, std::memory_order_relaxed,
                                         std::memory_order_relaxed)) {
            return set_chunk(t, begin, end);
        }
    }
    return set_chunk(t, 0, 0);
}

// Prepares the slot for construct `number`. Called by the first thread in.
void take_over(team& all, work_share& s, std::uint64_t number) noexcept {
    if (s.has_parts()) LAZULT_UNLIKELY {
        s.free_parts();  // of a construct that ended with a barrier
    }
    // published by publish_share()
    s.left.store(departures::none(number), std::memory_order_relaxed);
    if (!all.used_shares.load(std::memory_order_relaxed)) {
        all.used_shares.store(true, std::memory_order_relaxed);
    }
}

// --- split loops

constexpr std::uint32_t most_that_split = 64;  // threads

bool can_split(const loop_plan& p, bool is_monotonic, std::uint32_t team_size) noexcept {
    return p.adds_fast && !is_monotonic && !p.is_ordered && p.schedule == schedule_dynamic &&
           team_size > 1 && team_size <= most_that_split &&
           ds::split_loop<>::is_possible(p.chunks(), team_size);
}

// What ds::split_loop::take() asks of the team: the argument `around` of that function.
class around_loop {
public:
    static constexpr ds::split_patience patience{6, 24, 64};

    explicit around_loop(thread& t) noexcept : all_(*t.its_team) {}
    ds::split_parts<>& parts_of(std::uint32_t number) noexcept {
        return all_.members[number]->parts;
    }
    ds::split_ends<>& ends() noexcept { return all_.inside.loop_ends; }
    bool all_come() const noexcept { return !all_.is_cancelled(); }
    // relaxed: a hint. A thread that has arrived at the barrier has left all loops before it.
    bool is_alone() const noexcept {
        return all_.inside.arrived.load(std::memory_order_relaxed) + 1 == all_.size;
    }
    static void pause() noexcept { ds::default_atomics::pause(); }
    void wait() noexcept { seizing_.pause(); }

private:
    team& all_;
    short_wait seizing_;
};

// Takes one chunk of a split loop: of the thread's own range, or of another thread's if its own is
// empty. Returns false if no chunk is left.
LAZULT_ALWAYS_INLINE bool take_split(thread& t) noexcept {
    const loop_plan& p = *t.at.loop;
    around_loop around(t);
    const auto got = t.split.take(t.parts, around, [](std::uint32_t) { return std::uint32_t{1}; });
    const std::uint64_t begin = got.begin * p.chunk;
    return set_chunk(t, begin, std::min(got.end * p.chunk, p.bounds.count));
}

bool may_lose_processors(const team& all) noexcept {
    return all.kind != team_kind::streams ||
           all.size > static_cast<std::uint32_t>(variables().processors);
}

// Each thread counts its split loops, so all threads get the same number for this one.
void begin_split(thread& t) noexcept {
    const team& all = *t.its_team;
    t.split = {t.loops_entered++, static_cast<std::uint32_t>(t.at.loop->chunks()), all.size,
               t.number, may_lose_processors(all)};
    ++t.loops_open;
}

void enter_own_loop(thread& t, const loop_plan& plan) noexcept {
    t.own_loop = plan;
    t.at = {nullptr, &t.own_loop};
    begin_split(t);
}

bool has_free_parts(const thread& t) noexcept { return t.loops_open < ds::split_parts<>::slots; }

loop_plan planned(const loop_request& wanted, std::uint32_t team_size) noexcept {
    constexpr std::uint64_t half = std::uint64_t{1} << 62;
    loop_plan p;
    p.bounds = wanted.bounds;
    p.schedule = wanted.schedule & ~static_cast<std::uint32_t>(schedule_monotonic);
    p.chunk = wanted.chunk;
    p.is_ordered = wanted.is_ordered;
    p.adds_fast = wanted.bounds.count < half && wanted.chunk < half / (team_size + 1);
    p.is_split = can_split(p, (wanted.schedule & schedule_monotonic) != 0, team_size);
    return p;
}

// Returns whether a thread stops waiting for others to leave a construct: after some rounds,
// because they may wait for this thread; or at once, if they may be gone, or have made a construct
// move before.
bool goes_elsewhere(const team& all, const work_share& s, unsigned rounds) noexcept {
    constexpr unsigned most = 512;
    return rounds >= most || all.is_cancelled() ||
           departures(s.left.load(std::memory_order_relaxed)).moved() != 0;
}

}  // namespace

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
    t.stand_at(s);
    const std::uint64_t made = turn_of(number) + 2;
    // `free` is the value of `turn` with which this construct may take the slot. If the slot's last
    // construct ended with a barrier, that construct's own value is still there.
    const bool was_passed = (t.shares_passed & slot_bit(number)) != 0;
    const std::uint64_t free = was_passed ? turn_of(number - share_slots) + 2 : turn_of(number);
    t.shares_passed &= ~slot_bit(number);
    short_wait patience;
    for (unsigned rounds = 0;; ++rounds) {
        // pairs with: publish_share() and leave_share(), stores of turn
        std::uint64_t seen = s.turn.load(std::memory_order_acquire);
        // acquire pairs with: leave_share(), store; on failure with: publish_share(), store, which
        // may have come meanwhile
        if (seen == free &&
            s.turn.compare_exchange_strong(seen, made - 1, std::memory_order_acquire,
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
    if (t.at.share == nullptr) {
        return;
    }
    work_share& s = *t.at.share;
    if (s.loop.is_ordered) {
        pass_turn(t);
    }
    if (s.is_extra) LAZULT_UNLIKELY {
        leave_extra(t);
        return;
    }
    // acq_rel pairs with: itself: what other threads did in the construct; and move_away(), compare
    // and exchange
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
    if (t.at.share == nullptr) {
        return;
    }
    if (t.at.loop->is_ordered) {
        pass_turn(t);
    }
    if (t.at.share->is_extra) LAZULT_UNLIKELY {
        leave_extra(t);
        return;
    }
    t.shares_passed |= slot_bit(t.shares_entered - 1);
}

loop_bounds bounds_of(bool up, std::uint64_t start, std::uint64_t end,
                      std::uint64_t step) noexcept {
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

loop_request resolved(loop_request wanted, const icvs& mine) noexcept {
    std::uint32_t order = wanted.schedule & schedule_monotonic;
    wanted.schedule &= ~static_cast<std::uint32_t>(schedule_monotonic);
    if (wanted.schedule == schedule_runtime) {
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

void describe_loop(thread& first, const loop_request& wanted) noexcept {
    work_share& s = *first.at.share;
    s.loop = planned(wanted, first.its_team->size);
    s.loop.is_split = s.loop.is_split && has_free_parts(first);
    s.next.store(0, std::memory_order_relaxed);
    s.ordered.store(0, std::memory_order_relaxed);
}

// Writes only what changes, because threads of the last region have these cache lines.
void describe_no_loop(team& fresh) noexcept {
    if (fresh.first_loop.is_split) {
        fresh.first_loop.is_split = false;
    }
    const std::uint64_t before = fresh.members.empty() ? 0 : fresh.members[0]->loops_entered;
    if (fresh.loops_before != before) {
        fresh.loops_before = before;
    }
}

void describe_first_loop(team& fresh, const loop_request& wanted) noexcept {
    fresh.first_loop = planned(wanted, fresh.size);
    if (fresh.first_loop.is_split) {
        return;
    }
    work_share& first = fresh.shares[0];
    first.loop = fresh.first_loop;
    first.next.store(0, std::memory_order_relaxed);
    first.ordered.store(0, std::memory_order_relaxed);
    first.turn.store(turn_of(0) + 2, std::memory_order_relaxed);  // published by the fork
    fresh.begins_in_share = true;
    fresh.used_shares.store(true, std::memory_order_relaxed);
}

void begin_shares(thread& t, const team& all) noexcept {
    t.shares_entered = all.begins_in_share ? 1 : 0;
    t.shares_passed = 0;
    t.singles_entered = 0;
    t.loops_entered = all.loops_before;
    t.loops_open = 0;
    t.stand_at(*t.its_team->shares);
    if (all.first_loop.is_split) {
        enter_own_loop(t, all.first_loop);
    }
}

// Only a schedule in the program's text is the same for all threads. `runtime` depends on
// variables, in which threads may differ.
bool enter_split_loop(thread& t, const loop_request& wanted) noexcept {
    if (wanted.schedule != schedule_dynamic || !has_free_parts(t)) {
        return false;
    }
    const loop_plan plan = planned(resolved(wanted, t.implicit.variables), t.its_team->size);
    if (plan.is_split) {
        enter_own_loop(t, plan);
    }
    return plan.is_split;
}

void join_split_loop(thread& t) noexcept {
    if (t.at.loop->is_split) {
        begin_split(t);
    }
}

void give_up_loop(thread& t) noexcept {
    if (t.at.loop->is_split) {
        t.split.end(t.parts, t.its_team->inside.loop_ends);
    }
}

void forget_loops(team& region) noexcept {
    for (thread* each : region.members) {
        each->parts.forget();
    }
    region.inside.loop_ends.forget();
}

bool take_chunk(thread& t) noexcept {
    const loop_plan& p = *t.at.loop;
    if (p.is_split) LAZULT_LIKELY {
        return take_split(t);
    }
    if (p.is_ordered) {
        pass_turn(t);
    }
    switch (p.schedule) {
        case schedule_dynamic: return take_dynamic(t, *t.at.share);
        case schedule_guided: return take_guided(t, *t.at.share);
        default: return p.chunk == 0 ? take_static_block(t, p) : take_static_chunk(t, p);
    }
}

void await_turn(thread& t) {
    if (!t.at.loop->is_ordered || !t.at.has_chunk) {
        return;
    }
    const atomic<std::uint64_t>* const turn = &t.at.share->ordered;
    const std::uint64_t mine = t.at.chunk_begin;
    // pairs with: pass_turn(), exchange
    wait_while(own_wait::turn, turn,
               [turn, mine] { return turn->load(std::memory_order_seq_cst) != mine; });
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
