// SPDX-License-Identifier: BSD-3-Clause
// Claiming the join word of a unit in one's own lane by a plain store, and what others do before
// they write that word: see join_word.hpp. Templates on the unit, so that the model checker runs
// what ships. It has its marks (unit_marks.hpp) and `join`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/base/base.hpp"
#include "lazult/os/os.hpp"

namespace lazult::core {

// Called by the joiner, for a unit of its own lane. From now on the join word holds `joiner`.
// Returns false if the claim failed: then the unit is as it was.
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

// Returns a function that says whether the unit is claimed. The revoker calls it again and again,
// and it yields the OS thread now and then: the claimer may have lost its processor before its
// store.
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

// Called by other threads, for a unit that may be claimed elsewhere.
template <class Unit>
LAZULT_ALWAYS_INLINE void revoke_claims(Unit& u) noexcept {
    if (!u.is_past_claims()) {
        u.join.revoke(patient_look(u));
    }
}

// The same for all units for which `may_be_claimed` returns true, with one barrier.
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
