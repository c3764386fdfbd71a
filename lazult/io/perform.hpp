// SPDX-License-Identifier: BSD-3-Clause
// Makes a call for the running ULT, OS thread or tasklet, and lets it wait in the way that fits:
//   sockets, pipes   tried; a unit that would block suspends until its stream's port hears an edge
//   files            tried, unless in direct mode; then in the stream's ring, or on a helper thread
//   other            tried if possible; else made on a helper thread once the descriptor is ready
// An OS thread that is no stream blocks, or polls if the call has limits.
#pragma once

#include <cstdint>

#include "lazult/io/call.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::io::inner {

// Returns what the call returned, or -errno: -ETIMEDOUT, -ECANCELED (a stop, or a cancellation),
// -EDEADLK (the caller can neither suspend nor block), -EBADF (closed meanwhile by close()).
std::int64_t perform(call& wanted, const sync::wait_limit& until);

}  // namespace lazult::io::inner
