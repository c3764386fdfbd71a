// SPDX-License-Identifier: BSD-3-Clause
// Sleep until a deadline.
#pragma once

#include "lazult/sync/blocking.hpp"

namespace lazult::sync {

// ULTs suspend, OS threads sleep; cannot_suspend in a tasklet. If the deadline has passed, the call
// is a yield. Without a deadline the caller sleeps until it is cancelled.
// canceled: a cancellation or a stop request ended the sleep before its time.
base::status sleep_until(const wait_limit& until);
base::status sleep_for(std::int64_t duration_ns);

}  // namespace lazult::sync
