// SPDX-License-Identifier: BSD-3-Clause
// Whether a task may be called on the stack of the unit that wants to run it.
#pragma once

#include <cstddef>

namespace lazult::omp {

// What a unit may be called over: at least that much stack must be left below it. With a technique
// other than adaptive, none may: each task starts by that.
inline constexpr std::size_t least_headroom = std::size_t{48} << 10;
bool has_headroom() noexcept;
bool each_in_its_own_unit() noexcept;

}  // namespace lazult::omp
