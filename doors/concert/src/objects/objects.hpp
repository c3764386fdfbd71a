// SPDX-License-Identifier: BSD-3-Clause
// What the other rooms ask about objects.
#pragma once

#include <cstdint>

namespace lazult::concert {

// How many objects there are in this process.
std::uint64_t objects_alive() noexcept;
// So many more objects, or fewer.
void count_objects(std::int64_t more) noexcept;

}  // namespace lazult::concert
