// SPDX-License-Identifier: BSD-3-Clause
// Calls of the system that must succeed.
#pragma once

#include <fmt/core.h>

#include <sys/resource.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lazult::bench {

[[noreturn]] inline void give_up(const char* what, int error) {
    fmt::print(stderr, "{}: {}\n", what, std::strerror(error));
    std::exit(1);
}

// Of a call that returns a negative number and sets errno.
inline int must(int result, const char* what) {
    if (result < 0) {
        give_up(what, errno);
    }
    return result;
}

inline void raise_descriptor_limit() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace lazult::bench
