// SPDX-License-Identifier: BSD-3-Clause
// What a call of POSIX returns.
#pragma once

#include <cerrno>
#include <cstdint>

#include "lazult/base/base.hpp"

namespace lazult::posix {

// `outcome` is what the call returns, or -errno: then errno is set, and -1 is returned. Not
// inlined: a ULT may have moved, and the address of errno must not be kept from before.
template <class Result = int>
LAZULT_NOINLINE Result as_posix(std::int64_t outcome) noexcept {
    if (outcome >= 0) {
        return static_cast<Result>(outcome);
    }
    errno = static_cast<int>(-outcome);
    return -1;
}

}  // namespace lazult::posix
