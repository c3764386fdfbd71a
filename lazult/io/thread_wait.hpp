// SPDX-License-Identifier: BSD-3-Clause
// Waits of OS threads that are no streams, and so have nothing else to run.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>

#include "lazult/io/call.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::io::inner {

// poll(2) with a deadline in nanoseconds and a stop request. Returns how many are ready, 0 at the
// deadline, or -errno; -ECANCELED: a stop was requested.
std::int64_t poll_as_thread(std::span<pollfd> descriptors, const sync::wait_limit& until);

// Blocks until the descriptor is ready in that direction. Returns 0 or -errno.
std::int64_t wait_as_thread(int fd, direction way, const sync::wait_limit& until);

}  // namespace lazult::io::inner
