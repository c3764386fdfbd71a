// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/errno_guard.hpp"

#include <cerrno>

namespace lazult::base {

// Not for ThreadSanitizer: it takes the errno of an OS thread, which its ULTs share in turns, for
// their common variable. And not inlined, where it would be for it all the same.
__attribute__((noinline, no_sanitize("thread"))) int errno_guard::current() noexcept {
    return errno;
}
__attribute__((noinline, no_sanitize("thread"))) void errno_guard::set_current(int value) noexcept {
    errno = value;
}

}  // namespace lazult::base
