// SPDX-License-Identifier: BSD-3-Clause
// The errno of whichever thread calls.
#pragma once

#include <cerrno>

namespace lazult::support {

// Functions that use errno and do not suspend: what is promised for ULTs that move
// (docs/thread-locals.md). ThreadSanitizer takes the errno of an OS thread, which its ULTs share in
// turns, for their common variable.
__attribute__((noinline, no_sanitize("thread"))) inline int get_errno() {
    asm volatile("" ::: "memory");
    return errno;
}
__attribute__((noinline, no_sanitize("thread"))) inline void set_errno(int value) {
    errno = value;
    asm volatile("" ::: "memory");
}

}  // namespace lazult::support
