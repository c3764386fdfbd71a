// SPDX-License-Identifier: BSD-3-Clause
// write, writev and their positioned forms; fsync and fdatasync.
#include "files/waiting.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

LAZULT_REAL real<ssize_t(int, const void*, size_t)> real_write{"write"};
LAZULT_REAL real<ssize_t(int, const void*, size_t, off_t)> real_pwrite{"pwrite"};
LAZULT_REAL real<ssize_t(int, const iovec*, int)> real_writev{"writev"};
LAZULT_REAL real<ssize_t(int, const iovec*, int, off_t)> real_pwritev{"pwritev"};
LAZULT_REAL real<ssize_t(int, const iovec*, int, off_t, int)> real_pwritev2{"pwritev2"};
LAZULT_REAL real<int(int)> real_fsync{"fsync"};
LAZULT_REAL real<int(int)> real_fdatasync{"fdatasync"};

ssize_t pwrite_for(int fd, const void* data, size_t bytes, off_t offset, const void* from) {
    return offset >= 0 && suspends_on(fd, from) ? as_call(io::pwrite(fd, data, bytes, offset))
                                                : real_pwrite(fd, data, bytes, offset);
}

ssize_t pwritev_for(int fd, const iovec* data, int count, off_t offset, const void* from) {
    return offset >= 0 && is_good(data, count) && suspends_on(fd, from)
               ? as_call(io::pwritev(fd, list(data, count), offset))
               : real_pwritev(fd, data, count, offset);
}

ssize_t writev_for(int fd, const iovec* data, int count, const void* from) {
    return is_good(data, count) && suspends_on(fd, from)
               ? give_to(fd, false,
                         [&](const io::limits& until) {
                             return io::writev(fd, list(data, count), until);
                         })
               : real_writev(fd, data, count);
}

// With flags, the call is made as it is. An offset of -1 means the file's own position.
ssize_t pwritev2_for(int fd, const iovec* data, int count, off_t offset, int flags,
                     const void* from) {
    if (flags != 0) {
        return real_pwritev2(fd, data, count, offset, flags);
    }
    return offset == -1 ? writev_for(fd, data, count, from)
                        : pwritev_for(fd, data, count, offset, from);
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult::posix;
namespace io = lazult::io;

extern "C" {

ssize_t write(int fd, const void* data, size_t bytes) {
    return suspends_on(fd, __builtin_return_address(0))
               ? give_to(fd, false,
                         [&](const io::limits& until) { return io::write(fd, data, bytes, until); })
               : real_write(fd, data, bytes);
}

ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
    return pwrite_for(fd, data, bytes, offset, __builtin_return_address(0));
}

ssize_t pwrite64(int fd, const void* data, size_t bytes, off64_t offset) {
    return pwrite_for(fd, data, bytes, offset, __builtin_return_address(0));
}

ssize_t writev(int fd, const iovec* data, int count) {
    return writev_for(fd, data, count, __builtin_return_address(0));
}

ssize_t pwritev(int fd, const iovec* data, int count, off_t offset) {
    return pwritev_for(fd, data, count, offset, __builtin_return_address(0));
}

ssize_t pwritev64(int fd, const iovec* data, int count, off64_t offset) {
    return pwritev_for(fd, data, count, offset, __builtin_return_address(0));
}

ssize_t pwritev2(int fd, const iovec* data, int count, off_t offset, int flags) {
    return pwritev2_for(fd, data, count, offset, flags, __builtin_return_address(0));
}

ssize_t pwritev64v2(int fd, const iovec* data, int count, off64_t offset, int flags) {
    return pwritev2_for(fd, data, count, offset, flags, __builtin_return_address(0));
}

int fsync(int fd) {
    return suspends_on(fd, __builtin_return_address(0)) ? static_cast<int>(as_call(io::fsync(fd)))
                                                        : real_fsync(fd);
}

int fdatasync(int fd) {
    return suspends_on(fd, __builtin_return_address(0))
               ? static_cast<int>(as_call(io::fdatasync(fd)))
               : real_fdatasync(fd);
}

}  // extern "C"
