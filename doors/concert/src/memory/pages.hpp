// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace lazult::concert {

// Gives whole pages of shared memory back to the system, for all processes that have it; it reads
// as 0 then, or as before where the system cannot.
void give_back_pages(std::byte* from, std::size_t bytes) noexcept;

}  // namespace lazult::concert
