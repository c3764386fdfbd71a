// SPDX-License-Identifier: BSD-3-Clause
// Tells whether a task may be called on the stack of the unit that wants to run it.
#pragma once

#include <cstddef>

namespace lazult::omp {

// A task is called only if more than so many bytes of stack are left, and if no setting asks for a
// unit for each task (each_in_its_own_unit()).
inline constexpr std::size_t least_headroom = std::size_t{48} << 10;
bool has_headroom() noexcept;
bool each_in_its_own_unit() noexcept;

}  // namespace lazult::omp
