// SPDX-License-Identifier: BSD-3-Clause
// The marks of a unit, by which other threads see whether it has started, and how. A template on
// the unit, so that the model checker runs the shipped code. work_unit keeps the marks in three
// fields; some of these are also written alone.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "lazult/core/unit/technique.hpp"

namespace lazult::core {

// The state of a unit, for queries, misuse reports and shortcuts. It settles no race, but in
// is_past_claims().
//   unused -> ready            create, revive
//   ready -> running           a host or a joiner starts or resumes it
//   running -> ready           yield
//   running -> blocked         suspend, join of an unfinished unit
//   blocked -> ready           resume
//   blocked -> running         resume by direct hand-over
//   running -> finished        end
//   finished -> unused         release of the descriptor
enum class life_state : std::uint8_t { unused, ready, running, blocked, finished };

// How and where a unit runs: the three fields of work_unit as one 32-bit value.
struct running_mark {
    life_state life = life_state::running;
    start_mode started;
    std::uint16_t stream_number;

    static std::uint32_t of(start_mode how, std::uint16_t stream_number) noexcept {
        return std::bit_cast<std::uint32_t>(
            running_mark{.started = how, .stream_number = stream_number});
    }
};

// `Unit` has store_mark(mark, order) and load_mark(order) for a running_mark as one word.
template <class Unit>
struct unit_marks {
    // Marks a unit as created and not started, by one store for the three fields.
    void set_ready_at_first() noexcept {
        set_started(std::bit_cast<std::uint32_t>(running_mark{
            .life = life_state::ready, .started = start_mode::full, .stream_number = 0}));
    }
    void set_started(std::uint32_t mark) noexcept {
        // A revoker that reads the mark of another start takes a claim to be over. It must then see
        // the joiner that the claim stored. pairs with: running()
        static_cast<Unit*>(this)->store_mark(mark, std::memory_order_release);
    }
    running_mark running() const noexcept {
        // pairs with: set_started()
        return std::bit_cast<running_mark>(
            static_cast<const Unit*>(this)->load_mark(std::memory_order_acquire));
    }
    // Returns whether a joiner has taken the unit out of its lane to run it in place. That joiner
    // claims the join word, or has done so: see join_word.hpp.
    bool is_claimed() const noexcept { return running().started == start_mode::in_place; }
    // Returns whether the unit was started otherwise than in place: then no thread claims it.
    bool is_past_claims() const noexcept {
        const running_mark mark = running();
        return mark.life != life_state::ready && mark.started != start_mode::in_place;
    }
};

}  // namespace lazult::core
