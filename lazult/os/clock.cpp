// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/clock.hpp"

#include <ctime>

namespace lazult::os {

std::int64_t now_ns() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace lazult::os
