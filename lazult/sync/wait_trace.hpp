// SPDX-License-Identifier: BSD-3-Clause
// Tells a trace what a unit waits for. Only the suspension of a traced unit comes here. A report
// searches the stacks of suspended units for the records of their waits (wait_description.hpp). A
// trace cannot do that, because it is written when the units are gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lazult/sync/record_block.hpp"

namespace lazult::sync {

// Called by the unit that waits by this record alone. The record need not be listed yet. `more`:
// how many objects besides are not told.
LAZULT_COLD void trace_wait(const waiter<>& record, std::size_t more = 0) noexcept;

// Called by the unit that waits by this claim word. All its records are listed. Finds those on the
// unit's own stack and in its record_block, as reports do. A wait without records but with a
// deadline is a sleep.
LAZULT_COLD void trace_claimed_wait(const core::work_unit& self, const claim_word<>& claim,
                                    std::int64_t deadline_ns) noexcept;

// Called by a unit that sleeps. With the last possible deadline it sleeps until something ends the
// sleep.
LAZULT_COLD void trace_sleep(std::int64_t deadline_ns) noexcept;

// "2 s", "300 ms", "12.5 us", "80 ns": three digits.
std::string words_of_duration(std::int64_t ns);

}  // namespace lazult::sync
