// SPDX-License-Identifier: BSD-3-Clause
// What a descriptor is, and whether lazult::io owns it: see <lazult/io.hpp>, adopt(). The functions
// return 0 or -errno. Thread-safe.
#pragma once

#include "lazult/io/call.hpp"
#include "lazult/io/descriptor.hpp"

namespace lazult::io::inner {

int classify(int fd, kind& what) noexcept;

// Takes a descriptor that was just made. Its number begins a new life.
int take(int fd) noexcept;
// take() for the two ends of a new pipe.
void take_pipe(int in, int out) noexcept;
// Takes a descriptor of the program's, which may be taken already.
int adopt(int fd) noexcept;
int release(int fd) noexcept;
// Returns 1 if the program has put the descriptor in nonblocking mode, 0 if not, or -errno.
int is_nonblocking(int fd) noexcept;
// Closes any descriptor. Units that wait for it get -EBADF.
int close(int fd) noexcept;
// dup3(2), but for a descriptor onto itself, which does nothing. Ends the waits for `to`. Returns
// `to` or -errno.
int duplicate(int from, int to, int flags) noexcept;

}  // namespace lazult::io::inner
