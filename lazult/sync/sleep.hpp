// SPDX-License-Identifier: BSD-3-Clause
// Sleeping until a deadline.
#pragma once

#include "lazult/sync/blocking.hpp"

namespace lazult::sync {

// Sleep until the deadline: a ULT suspends, an OS thread sleeps, a tasklet gets cannot_suspend.
// Without a deadline the caller sleeps until it is cancelled. If the deadline has passed, the call
// is a yield. Return canceled if a cancellation or a stop request ended the sleep before its time.
base::status sleep_until(const wait_limit& until);
base::status sleep_for(std::int64_t duration_ns);

}  // namespace lazult::sync
