// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace lazult::concert {

// Gives the whole pages of a range of shared memory back to the system, for all processes that map
// them. Then they read as 0, or as before if the system cannot take them.
void give_back_pages(std::byte* from, std::size_t bytes) noexcept;

}  // namespace lazult::concert
