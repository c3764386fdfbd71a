// SPDX-License-Identifier: BSD-3-Clause
// A joiner claims the join word of a unit in its own lane by a plain store. Other threads revoke
// this right before they write the word: join_word.hpp has the rules. The functions are templates
// on the unit, so that the model checker runs the shipped code. `Unit` has the functions of
// unit_marks.hpp and a field `join`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/os/os.hpp"

namespace lazult::core {

// Claims `u` for its joiner: marks `u` as started in place, then stores `joiner` in its join word.
// Called by the joiner, for a unit of its own lane or private pool. Returns false if the word
// cannot be claimed; then `u` is as it was.
template <class Unit>
LAZULT_ALWAYS_INLINE bool claim_marked(Unit& u, std::uint32_t in_place_mark,
                                       std::uintptr_t joiner) noexcept {
    u.set_started(in_place_mark);
    if (!u.join.claim(joiner)) LAZULT_UNLIKELY {
        u.set_ready_at_first();
        return false;
    }
    return true;
}

// Returns a function that tells whether the unit is marked as claimed. A revoker polls with that
// function. Every 64th call yields the OS thread, because the claimer may have lost its processor.
template <class Unit>
auto patient_look(const Unit& u) noexcept {
    return [&u, looks = 0U]() mutable {
        constexpr unsigned between_yields = 64;
        if (!u.is_claimed()) {
            return false;
        }
        if (++looks % between_yields == 0) {
            os::yield_thread();
        }
        return true;
    };
}

// Ends another thread's right to claim `u` by a plain store, unless `u` was started otherwise.
template <class Unit>
LAZULT_ALWAYS_INLINE void revoke_claims(Unit& u) noexcept {
    if (!u.is_past_claims()) {
        u.join.revoke(patient_look(u));
    }
}

// Calls revoke_claims() for all units for which `may_be_claimed` returns true, with one barrier.
template <class Unit, class MayBeClaimed>
LAZULT_ALWAYS_INLINE void revoke_claims(Unit* const* units, std::size_t count,
                                        MayBeClaimed may_be_claimed) noexcept {
    bool any = false;
    for (Unit* const* u = units; u != units + count; ++u) {
        if (may_be_claimed(**u) && !(*u)->is_past_claims()) {
            (*u)->join.begin_revoking();
            any = true;
        }
    }
    if (!any) {
        return;
    }
    decltype((*units)->join)::heavy_barrier();  // pairs with: claim(), free_barrier
    for (Unit* const* u = units; u != units + count; ++u) {
        if (may_be_claimed(**u)) {
            (*u)->join.end_revoking(patient_look(**u));
        }
    }
}

}  // namespace lazult::core
