// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/block_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ioservice {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, long error) {
    throw std::runtime_error(
        fmt::format("{}: {}: {}", path, what, std::strerror(static_cast<int>(-error))));
}

long must_be_right(long result, const std::string& path, const char* what) {
    if (result < 0) {
        fail(path, what, result);
    }
    return result;
}

int opened(const std::string& path, bool direct, const file_calls& by) {
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | (direct ? O_DIRECT : 0);
    const int descriptor = by.open(path.c_str(), flags);
    if (descriptor == -EINVAL && direct) {
        throw std::runtime_error(path +
                                 ": this file system has no direct mode; leave out --direct");
    }
    return static_cast<int>(must_be_right(descriptor, path, "cannot be opened"));
}

// Requests that a killed process had in io_uring hold the file for a moment longer than it lived.
// Only then is there nothing that may still write to the file.
bool is_locked(int descriptor) {
    for (int tries = 0; tries < 200; ++tries) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

off_t offset_of(place where) { return static_cast<off_t>(where * sizeof(block)); }

}  // namespace

block_file::block_file(std::string path, bool direct, const file_calls& by)
    : path_(std::move(path)), by_(by), descriptor_(opened(path_, direct, by)) {
    if (!is_locked(descriptor_)) {
        by_.close(descriptor_);
        throw std::runtime_error(path_ + ": another process or store uses it");
    }
}

block_file::~block_file() { by_.close(descriptor_); }

std::uint64_t block_file::bytes() const {
    struct stat found{};
    must_be_right(fstat(descriptor_, &found) == 0 ? 0 : -errno, path_, "fstat");
    return static_cast<std::uint64_t>(found.st_size);
}

// Only at the end of a file does a read end within a page.
bool block_file::read(place where, block& into) const {
    auto* const at = reinterpret_cast<unsigned char*>(&into);
    std::size_t done = 0;
    long got = page_bytes;
    while (done < sizeof into && got != 0 && got % long{page_bytes} == 0) {
        const auto from = offset_of(where) + static_cast<off_t>(done);
        got = must_be_right(by_.read(descriptor_, at + done, sizeof into - done, from), path_,
                            "reading");
        done += static_cast<std::size_t>(got);
    }
    std::fill(at + done, at + sizeof into, static_cast<unsigned char>(0));
    return done == sizeof into;
}

void block_file::write(place where, const block& from) { write_bytes(where, &from, sizeof from); }

void block_file::erase(place where) {
    alignas(page_bytes) static constexpr unsigned char nothing[page_bytes] = {};
    write_bytes(where, nothing, sizeof nothing);
}

void block_file::sync() { must_be_right(by_.sync(descriptor_), path_, "fdatasync"); }

void block_file::write_bytes(place where, const void* from, std::size_t bytes) {
    const auto* const at = static_cast<const char*>(from);
    for (std::size_t done = 0; done < bytes;) {
        const auto to = offset_of(where) + static_cast<off_t>(done);
        const long put = by_.write(descriptor_, at + done, bytes - done, to);
        must_be_right(put == 0 ? -EIO : put, path_, "writing");
        done += static_cast<std::size_t>(put);
    }
}

std::string block_file::words_about(place where, const std::string& words) const {
    return fmt::format("{}: block {} {}", path_, where, words);
}

}  // namespace ioservice
