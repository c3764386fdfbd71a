// SPDX-License-Identifier: BSD-3-Clause
// Tells whether the process has one OS thread, according to its C library.
#pragma once

#include "lazult/base/base.hpp"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#else
#include <ext/atomicity.h>
#endif

namespace lazult::os {

LAZULT_ALWAYS_INLINE bool is_single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return __gnu_cxx::__is_single_threaded();
#endif
}

}  // namespace lazult::os
