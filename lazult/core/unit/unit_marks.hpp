// SPDX-License-Identifier: BSD-3-Clause
// The marks of a unit, by which others see whether it has started and how. A template on the unit,
// so that the model checker runs what ships: work_unit keeps them in three fields, of which some
// are also written alone.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "lazult/core/unit/technique.hpp"

namespace lazult::core {

// Where a unit is in its life. For queries and for misuse reports; the runtime itself asks only
// whether it is `ready`: is_past_claims().
//   unused -> ready            create, revive
//   ready -> running           a host or a joiner starts or resumes it
//   running -> ready           yield
//   running -> blocked         suspend, join of an unfinished unit
//   blocked -> ready           resume
//   blocked -> running         resume by direct hand-over
//   running -> finished        end
//   finished -> unused         release of the descriptor
enum class life_state : std::uint8_t { unused, ready, running, blocked, finished };

// How a unit runs and where, as the three fields of work_unit that say so.
struct running_mark {
    life_state life = life_state::running;
    start_mode started;
    std::uint16_t stream_number;

    static std::uint32_t of(start_mode how, std::uint16_t stream_number) noexcept {
        return std::bit_cast<std::uint32_t>(
            running_mark{.started = how, .stream_number = stream_number});
    }
};

// `Unit` has store_mark(mark, order) and load_mark(order), of a running_mark as one word.
template <class Unit>
struct unit_marks {
    // It was created, and has run nowhere yet; it starts. One store for the three: they are hints
    // to all others.
    void set_ready_at_first() noexcept {
        set_started(std::bit_cast<std::uint32_t>(running_mark{
            .life = life_state::ready, .started = start_mode::full, .stream_number = 0}));
    }
    void set_started(std::uint32_t mark) noexcept {
        // Release, for the joiner that stands in the join word when it is started otherwise after
        // all. pairs with: running()
        static_cast<Unit*>(this)->store_mark(mark, std::memory_order_release);
    }
    running_mark running() const noexcept {
        // pairs with: set_started()
        return std::bit_cast<running_mark>(
            static_cast<const Unit*>(this)->load_mark(std::memory_order_acquire));
    }
    // Whether a joiner has taken it out of its lane, and claims its join word or has done so: see
    // join_word.hpp.
    bool is_claimed() const noexcept { return running().started == start_mode::in_place; }
    // Whether it was started otherwise, so that nobody is going to claim it.
    bool is_past_claims() const noexcept {
        const running_mark mark = running();
        return mark.life != life_state::ready && mark.started != start_mode::in_place;
    }
};

}  // namespace lazult::core
