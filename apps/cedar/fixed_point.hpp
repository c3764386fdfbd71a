// SPDX-License-Identifier: BSD-3-Clause
// Forces and energies are summed in fixed point. Sums of integers do not depend on the order of the
// additions, so a trajectory is the same bit for bit, however many owners compute the forces and in
// whichever order they add theirs to a cell's. One array for each cell and owner is enough then;
// sums of doubles in a canonical order would need one for each pair of cells.
#pragma once

#include "apps/cedar/vector3.hpp"

#include <algorithm>
#include <cstdint>

namespace cedar {

using fixed = std::int64_t;

// The unit of the last place is 2e-10 kJ/mol or kJ/mol/nm; forces are some thousands of these.
inline constexpr double fixed_scale = 0x1p32;
// What is larger has exploded anyhow. Sixteen such values still fit into a sum.
inline constexpr double fixed_limit = 0x1p27;

// Cuts off what is below the last place, to the same magnitude for a force and its reaction.
inline fixed to_fixed(double value) {
    return static_cast<fixed>(std::max(-fixed_limit, std::min(value, fixed_limit)) * fixed_scale);
}

inline double to_double(fixed value) { return static_cast<double>(value) / fixed_scale; }

// A sum of values that exploded wraps around.
inline void add_fixed(fixed& sum, fixed value) {
    sum = static_cast<fixed>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(value));
}

struct fixed3 {
    fixed x = 0;
    fixed y = 0;
    fixed z = 0;

    fixed3& operator+=(const fixed3& other) {
        add_fixed(x, other.x);
        add_fixed(y, other.y);
        add_fixed(z, other.z);
        return *this;
    }
    friend bool operator==(const fixed3& a, const fixed3& b) = default;
};

inline fixed3 to_fixed(const vector3& v) { return {to_fixed(v.x), to_fixed(v.y), to_fixed(v.z)}; }
inline vector3 to_double(const fixed3& v) {
    return {to_double(v.x), to_double(v.y), to_double(v.z)};
}

}  // namespace cedar
