// SPDX-License-Identifier: BSD-3-Clause
// Calls that would block in the kernel: they suspend the unit that makes them. The parts, the
// lowest first:
//   call, descriptor        a call; what is known of a descriptor, and which units wait for it
//   ring, port, helpers     what makes things happen: io_uring, epoll, threads that may block
//   thread_wait, waits      how OS threads and units wait
//   ownership, perform      descriptors that belong to this floor; a call is made
//   calls                   the calls of POSIX
#pragma once

#include "lazult/io/calls.hpp"
#include "lazult/io/helpers.hpp"
#include "lazult/io/ownership.hpp"
#include "lazult/io/perform.hpp"
#include "lazult/io/ring.hpp"
#include "lazult/io/waits.hpp"
