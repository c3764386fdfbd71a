// SPDX-License-Identifier: BSD-3-Clause
// Finds methods that wait for each other's objects, over all ranks.
#pragma once

namespace lazult::concert {

// Any thread outside of strands that may wait: looks through all ranks, which must run messages. If
// it finds a circle, it looks again, and then writes a warning with the objects, those that hold
// them and how many wait. A circle is reported once.
void report_circles() noexcept;

}  // namespace lazult::concert
