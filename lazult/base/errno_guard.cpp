// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/errno_guard.hpp"

#include <cerrno>

namespace lazult::base {

// Not instrumented by ThreadSanitizer, which takes the errno of an OS thread for a variable that
// its ULTs share. Not inlined either, because an instrumented caller would instrument the access.
__attribute__((noinline, no_sanitize("thread"))) int errno_guard::current() noexcept {
    return errno;
}
__attribute__((noinline, no_sanitize("thread"))) void errno_guard::set_current(int value) noexcept {
    errno = value;
}

}  // namespace lazult::base
