// SPDX-License-Identifier: BSD-3-Clause
// How a unit waits for descriptors: for an edge of one, or until one of several is ready.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>

#include "lazult/io/descriptor.hpp"

namespace lazult::io::inner {

// Returns the result of a call, for the status with which its wait has ended.
std::int64_t error_of(base::status end_of_wait) noexcept;

struct wanted_edge {
    int fd;
    direction way;
    descriptor::word seen;  // the queue's word before the try
    std::uint32_t life;     // the descriptor's, before that
};

// Suspends the unit until there has been an edge since. Returns 0 or -errno; -EBADF: the descriptor
// was closed.
std::int64_t await_edge(descriptor& d, const wanted_edge& edge, core::work_unit* self,
                        const sync::wait_limit& until);

// poll(2) for any caller. Returns how many descriptors are ready, 0 at the deadline, or -errno.
std::int64_t poll(std::span<pollfd> descriptors, const sync::wait_limit& until);

// Waits until the descriptor is ready in that direction, or seems so. Returns 0 or -errno.
std::int64_t await_ready(int fd, direction way, const sync::wait_limit& until);
// The same for a unit. -EBADF: the descriptor was closed since that life.
std::int64_t await_ready_in(std::uint32_t life, int fd, direction way, core::work_unit* self,
                            const sync::wait_limit& until);

}  // namespace lazult::io::inner
