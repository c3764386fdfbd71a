// SPDX-License-Identifier: BSD-3-Clause
#include "threads/spreading.hpp"

#include "waiting/crowd.hpp"

namespace lazult::omp {
namespace {

constexpr std::int64_t between_moves_ns = 2'000'000;  // a move takes some 20 us

bool may_spread(const thread& t) noexcept {
    return t.place == 0 && t.number != 0 && t.its_team->kind == team_kind::streams && !is_crowded();
}

// The new processor is a guess. If it is in use, the thread moves on the next time.
void move_on(thread& t, int here) noexcept {
    const std::int64_t now = os::now_ns();
    if (now < t.moves_again_at) {
        return;
    }
    t.moves_again_at = now + between_moves_ns;
    os::move_this_thread(here, static_cast<int>(t.number));
    t.processor.store(os::current_processor(), std::memory_order_relaxed);
}

void note_processor(thread& t, int here) noexcept {
    if (t.processor.load(std::memory_order_relaxed) != here) {
        t.processor.store(here, std::memory_order_relaxed);
    }
}

}  // namespace

void note_processor_of_fork(team& region) noexcept {
    if (const int here = os::current_processor(); region.forked_on != here) {
        region.forked_on = here;
    }
}

void leave_parents_processor(thread& t) noexcept {
    if (const int here = os::current_processor(); here == t.its_team->forked_on && may_spread(t))
        LAZULT_UNLIKELY {
        move_on(t, here);
    }
}

void keep_apart(thread& t) noexcept {
    const int here = os::current_processor();
    note_processor(t, here);
    if (!may_spread(t)) {
        return;
    }
    const std::vector<thread*>& mates = t.its_team->members;
    for (std::uint32_t i = 0; i < t.number; ++i) {
        if (mates[i]->processor.load(std::memory_order_relaxed) == here) {
            move_on(t, here);
            return;
        }
    }
}

}  // namespace lazult::omp
