// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "apps/ioservice/file_calls.hpp"

namespace ioservice {
namespace {

template <class Number>
Number or_error(Number result) {
    return result < 0 ? -errno : result;
}

class plain final : public file_calls {
    int open(const char* path, int flags) const override {
        return or_error(::open(path, flags, 0644));
    }
    ssize_t read(int file, void* into, std::size_t bytes, off_t offset) const override {
        return or_error(pread(file, into, bytes, offset));
    }
    ssize_t write(int file, const void* from, std::size_t bytes, off_t offset) const override {
        return or_error(pwrite(file, from, bytes, offset));
    }
    int sync(int file) const override { return or_error(fdatasync(file)); }
    int close(int file) const override { return or_error(::close(file)); }
};

}  // namespace

const file_calls& plain_calls() {
    static const plain calls;
    return calls;
}

}  // namespace ioservice
