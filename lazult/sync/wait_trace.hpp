// SPDX-License-Identifier: BSD-3-Clause
// Tells a trace what a unit waits for. Only the suspension of a traced unit comes here. A report
// searches the stacks of suspended units for the records of their waits (wait_description.hpp). A
// trace cannot do that, because it is written when the units are gone.
#pragma once

#include "lazult/sync/waiter.hpp"

namespace lazult::sync {

// Called by the unit that waits by this record alone. The record need not be listed yet.
LAZULT_COLD void trace_wait(const waiter<>& record) noexcept;

// Called by the unit that waits by this claim word. All its records are listed. Finds those on the
// unit's own stack, as reports do.
LAZULT_COLD void trace_claimed_wait(const core::work_unit& self,
                                    const claim_word<>& claim) noexcept;

}  // namespace lazult::sync
