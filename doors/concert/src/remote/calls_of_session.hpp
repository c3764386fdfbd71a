// SPDX-License-Identifier: BSD-3-Clause
// Calls between ranks, over the messages of a session.
#pragma once

namespace lazult::concert {

// Returns CONCERT_OK, or the number of a failure: before a session, if this process has objects
// whose names would not hold on other ranks.
int check_before_session();
// Collective: after a session has begun. From here on methods of other ranks may be called. Returns
// CONCERT_OK, or the number of a failure.
int begin_calls();
// After a session has ended.
void end_calls() noexcept;

}  // namespace lazult::concert
