// SPDX-License-Identifier: BSD-3-Clause
// read, readv and their positioned forms, also under the names that programs with a hardened C
// library use. Those check sizes first, and end the program if they are wrong.
#include "files/waiting.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

LAZULT_REAL real<ssize_t(int, void*, size_t)> real_read{"read"};
LAZULT_REAL real<ssize_t(int, void*, size_t, off_t)> real_pread{"pread"};
LAZULT_REAL real<ssize_t(int, const iovec*, int)> real_readv{"readv"};
LAZULT_REAL real<ssize_t(int, const iovec*, int, off_t)> real_preadv{"preadv"};
LAZULT_REAL real<ssize_t(int, const iovec*, int, off_t, int)> real_preadv2{"preadv2"};
LAZULT_REAL real<ssize_t(int, void*, size_t, size_t)> real_read_chk{"__read_chk"};
LAZULT_REAL real<ssize_t(int, void*, size_t, off_t, size_t)> real_pread_chk{"__pread_chk"};

ssize_t read_for(int fd, void* into, size_t bytes, const void* from) {
    return suspends_on(fd, from)
               ? take_from(
                     fd, [&](const io::limits& until) { return io::read(fd, into, bytes, until); })
               : real_read(fd, into, bytes);
}

ssize_t pread_for(int fd, void* into, size_t bytes, off_t offset, const void* from) {
    return offset >= 0 && suspends_on(fd, from) ? as_call(io::pread(fd, into, bytes, offset))
                                                : real_pread(fd, into, bytes, offset);
}

ssize_t preadv_for(int fd, const iovec* into, int count, off_t offset, const void* from) {
    return offset >= 0 && is_good(into, count) && suspends_on(fd, from)
               ? as_call(io::preadv(fd, list(into, count), offset))
               : real_preadv(fd, into, count, offset);
}

ssize_t readv_for(int fd, const iovec* into, int count, const void* from) {
    return is_good(into, count) && suspends_on(fd, from)
               ? take_from(fd,
                           [&](const io::limits& until) {
                               return io::readv(fd, list(into, count), until);
                           })
               : real_readv(fd, into, count);
}

// With flags, the call is made as it is. An offset of -1 means the file's own position.
ssize_t preadv2_for(int fd, const iovec* into, int count, off_t offset, int flags,
                    const void* from) {
    if (flags != 0) {
        return real_preadv2(fd, into, count, offset, flags);
    }
    return offset == -1 ? readv_for(fd, into, count, from)
                        : preadv_for(fd, into, count, offset, from);
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult::posix;

extern "C" {

ssize_t read(int fd, void* into, size_t bytes) {
    return read_for(fd, into, bytes, __builtin_return_address(0));
}

ssize_t __read_chk(int fd, void* into, size_t bytes, size_t size) {
    return bytes > size ? real_read_chk(fd, into, bytes, size)
                        : read_for(fd, into, bytes, __builtin_return_address(0));
}

ssize_t pread(int fd, void* into, size_t bytes, off_t offset) {
    return pread_for(fd, into, bytes, offset, __builtin_return_address(0));
}

ssize_t pread64(int fd, void* into, size_t bytes, off64_t offset) {
    return pread_for(fd, into, bytes, offset, __builtin_return_address(0));
}

ssize_t __pread_chk(int fd, void* into, size_t bytes, off_t offset, size_t size) {
    return bytes > size ? real_pread_chk(fd, into, bytes, offset, size)
                        : pread_for(fd, into, bytes, offset, __builtin_return_address(0));
}

ssize_t __pread64_chk(int fd, void* into, size_t bytes, off64_t offset, size_t size) {
    return bytes > size ? real_pread_chk(fd, into, bytes, offset, size)
                        : pread_for(fd, into, bytes, offset, __builtin_return_address(0));
}

ssize_t readv(int fd, const iovec* into, int count) {
    return readv_for(fd, into, count, __builtin_return_address(0));
}

ssize_t preadv(int fd, const iovec* into, int count, off_t offset) {
    return preadv_for(fd, into, count, offset, __builtin_return_address(0));
}

ssize_t preadv64(int fd, const iovec* into, int count, off64_t offset) {
    return preadv_for(fd, into, count, offset, __builtin_return_address(0));
}

ssize_t preadv2(int fd, const iovec* into, int count, off_t offset, int flags) {
    return preadv2_for(fd, into, count, offset, flags, __builtin_return_address(0));
}

ssize_t preadv64v2(int fd, const iovec* into, int count, off64_t offset, int flags) {
    return preadv2_for(fd, into, count, offset, flags, __builtin_return_address(0));
}

}  // extern "C"
