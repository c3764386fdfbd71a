// SPDX-License-Identifier: BSD-3-Clause
// Chaos builds (LAZULT_CHAOS=1) disturb the timing at marked points, so that rare interleavings
// become common.
#pragma once

#include "lazult/base/base.hpp"

#include <cstdint>

#ifndef LAZULT_CHAOS
#define LAZULT_CHAOS 0
#endif

namespace lazult::probe {

inline constexpr bool chaos = LAZULT_CHAOS != 0;

// A chaos point disturbs the timing once in `chaos_odds` calls.
inline constexpr std::uint32_t chaos_odds = 64;

enum class disturbance : std::uint8_t { none, yield, spin };
disturbance draw_disturbance(base::xorshift64& random) noexcept;

// Draws a disturbance from the calling OS thread's own generator, and carries it out. The seed is
// made from settings().seed and the thread's number, in the order of the threads' first calls.
void disturb() noexcept;

LAZULT_ALWAYS_INLINE void chaos_point() noexcept {
    if constexpr (chaos) {
        disturb();
    }
}

}  // namespace lazult::probe
