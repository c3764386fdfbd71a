// SPDX-License-Identifier: BSD-3-Clause
// Calls that close a descriptor: ULTs that wait for it get EBADF. A child of vfork() shares its
// parent's memory, so its close() would end the waits of the parent's ULTs. Therefore vfork() calls
// fork().
#include <unistd.h>

#include "caller/caller.hpp"
#include "files/waiting.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

LAZULT_REAL real<int(int)> real_close{"close"};
LAZULT_REAL real<int(int, int)> real_dup2{"dup2"};
LAZULT_REAL real<int(int, int, int)> real_dup3{"dup3"};

}  // namespace
}  // namespace lazult::posix

using namespace lazult::posix;
namespace io = lazult::io;

extern "C" {

int close(int fd) {
    if (!may_be_waited_for() || is_left_alone(__builtin_return_address(0))) {
        return real_close(fd);
    }
    return static_cast<int>(as_call(io::close(fd)));
}

int dup2(int from, int to) noexcept {
    if (!may_be_waited_for() || is_left_alone(__builtin_return_address(0))) {
        return real_dup2(from, to);
    }
    return static_cast<int>(as_call(io::dup2(from, to)));
}

int dup3(int from, int to, int flags) noexcept {
    if (from == to || !may_be_waited_for() || is_left_alone(__builtin_return_address(0))) {
        return real_dup3(from, to, flags);
    }
    return static_cast<int>(as_call(io::dup2(from, to, flags)));
}

pid_t vfork() noexcept { return ::fork(); }

}  // extern "C"
