// SPDX-License-Identifier: BSD-3-Clause
// Finds methods that wait for each other's objects, over all ranks.
#pragma once

namespace lazult::concert {

// Any thread outside of strands. Begins a search in a ULT, unless one is under way: it asks all
// ranks, which must run messages. If it finds a circle, it looks again, and then writes a warning
// with one circle: its objects, and how many methods wait for each. This rank does not repeat it.
void report_circles() noexcept;

}  // namespace lazult::concert
