// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cedar/phases.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace cedar {

// What a rank has called on cells of other ranks, by phase. A call is two messages, the call and
// its answer. Bytes are those of positions, velocities and forces, in either direction.
struct traffic {
    std::array<std::uint64_t, phases> calls{};
    std::array<std::uint64_t, phases> bytes{};

    void count(phase in, std::uint64_t more_calls, std::uint64_t more_bytes) {
        calls[static_cast<std::size_t>(in)] += more_calls;
        bytes[static_cast<std::size_t>(in)] += more_bytes;
    }
    traffic& operator+=(const traffic& more) {
        for (std::size_t each = 0; each < phases; ++each) {
            calls[each] += more.calls[each];
            bytes[each] += more.bytes[each];
        }
        return *this;
    }
};

}  // namespace cedar
