// SPDX-License-Identifier: BSD-3-Clause
#include "units/mover.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "lazult/sched/sched.hpp"
#include "lazult/topo/topo.hpp"
#include "reentry/at_work.hpp"

namespace lazult::checker {
namespace {

using namespace std::literals;

constexpr std::uint32_t odds_of_staying = 4;

bool read_setting() noexcept {
    const char* const text = ::secure_getenv("LAZULT_CHECKER");
    const std::string_view word = text == nullptr ? "move"sv : text;
    if (word != "move" && word != "watch") {
        base::warn("LAZULT_CHECKER is neither move nor watch, and counts as move");
    }
    return word != "watch";
}

bool is_moving() noexcept {
    static const bool answer = read_setting();
    return answer;
}

bool lets_go(const core::work_unit& self, const history& h) noexcept {
    const base::settings& now = base::current_settings();
    return is_moving() && !self.has(core::flag_host) &&
           now.scheduler == base::scheduler_kind::work_stealing &&
           now.started == base::started_kind::move &&
           core::running_worker().stay_pool == nullptr &&  // see stream_options
           (self.home->lets_units_move() || self.home == h.target);
}

// While the ULT of main() runs, its stream may be busy for long.
bool is_mains_now(sched::stream& s) noexcept {
    core::worker* const w = s.its_worker();
    return w == nullptr ||
           s.is_own_primary(std::atomic_ref(w->current).load(std::memory_order_relaxed));
}

// Streams that came later may end, or rest, with a ULT on its way to them.
bool came_with_runtime(const sched::stream& s) noexcept {
    const auto asked = static_cast<int>(base::current_settings().streams);
    return s.rank() < (asked != 0 ? asked : topo::machine().processors());
}

bool takes_units(sched::stream& s) noexcept {
    return came_with_runtime(s) && !s.is_independent() && !s.is_ending() && s.pinned() != nullptr &&
           s.state() == sched::stream_state::running && !is_mains_now(s);
}

struct destination {
    core::pool* pool = nullptr;
    int rank = -1;
};

// Chooses another stream by chance, and returns the pool that this stream alone serves. Such pools
// outlive their streams. main() may later block its stream, so that one is chosen if there is no
// third. No pool: there is no other stream.
destination one_but(int rank, base::xorshift64& random) noexcept {
    destination chosen;
    destination mains;
    std::uint32_t fitting = 0;
    sched::streams().for_each([&](sched::stream_record& record) {
        auto& s = static_cast<sched::stream&>(record);
        if (s.rank() == rank || !takes_units(s)) {
            return;
        }
        if (s.is_primary()) {
            mains = {s.pinned(), s.rank()};
        } else if (random.below(++fitting) == 0) {
            chosen = {s.pinned(), s.rank()};
        }
    });
    return chosen.pool != nullptr ? chosen : mains;
}

void ask_for(core::work_unit& u, history& h, destination where) noexcept {
    if (where.pool != nullptr && core::migrate(u, *where.pool) == base::status::ok) {
        h.target = where.pool;
        h.target_rank = where.rank;
    }
}

// Called by the ULT, which has run here, and is about to leave for the stream that was asked for.
// It is to leave that one, too. Once in a while it stays: with two streams, two moves would always
// bring it back. The program may have sent it elsewhere instead.
void ask_again(core::work_unit* u, void* argument) noexcept {
    auto* const h = static_cast<history*>(argument);
    if (h->unit.load(std::memory_order_relaxed) != u || u->state() != core::life_state::running) {
        return;  // the descriptor's former life had this history, or the unit has not begun
    }
    const at_work now;
    note_thread(*h);
    if (u->home == h->target && lets_go(*u, *h)) {
        const bool stays = h->random.below(odds_of_staying) == 0;
        ask_for(*u, *h,
                stays ? destination{u->home, h->target_rank} : one_but(h->target_rank, h->random));
    }
}

// A program, or a door, that hears of migrations itself goes on to do so. Then the ULT is asked to
// move at the accesses to its variables alone.
void hear_of_moves(core::work_unit& self, history& h) noexcept {
    const core::unit_extras* const extras = core::extras_of(self);
    if (extras != nullptr && extras->migrated == nullptr) {
        core::on_migration(self, ask_again, &h);
    }
}

}  // namespace

void ask_to_move(core::work_unit& self, history& h) noexcept {
    constexpr unsigned long_patience = 1000;
    if (is_asked_to_move(self, h)) {
        return;
    }
    if (lets_go(self, h)) {
        hear_of_moves(self, h);
        ask_for(self, h, one_but(core::running_worker().rank, h.random));
    }
    h.patience = core::has_requests(self) ? 0 : long_patience;
}

}  // namespace lazult::checker
