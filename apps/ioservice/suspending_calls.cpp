// SPDX-License-Identifier: BSD-3-Clause
// The only file that uses what Lazult has beyond Argobots. IOSERVICE_PLAIN asks for the program
// that runs over Argobots, too.
#include <abt.h>

#include "apps/ioservice/file_calls.hpp"

#if __has_include(<abtx.h>) && !defined(IOSERVICE_PLAIN)

#include <abtx.h>

namespace ioservice {
namespace {

class suspending final : public file_calls {
    int open(const char* path, int flags) const override {
        int result = -1;
        ABTX_io_open(path, flags, 0644, &result);
        return result;
    }
    ssize_t read(int file, void* into, std::size_t bytes, off_t offset) const override {
        ssize_t result = -1;
        ABTX_io_pread(file, into, bytes, offset, nullptr, &result);
        return result;
    }
    ssize_t write(int file, const void* from, std::size_t bytes, off_t offset) const override {
        ssize_t result = -1;
        ABTX_io_pwrite(file, from, bytes, offset, nullptr, &result);
        return result;
    }
    int sync(int file) const override {
        int result = -1;
        ABTX_io_fdatasync(file, &result);
        return result;
    }
    int close(int file) const override {
        int result = -1;
        ABTX_io_close(file, &result);
        return result;
    }
};

}  // namespace

const file_calls& suspending_calls() {
    static const suspending calls;
    return calls;
}

bool can_suspend() { return true; }

void pause_for(std::chrono::nanoseconds time) {
    ABTX_thread_sleep_for(std::chrono::duration<double>(time).count());
}

}  // namespace ioservice

#else

#include <algorithm>
#include <thread>

namespace ioservice {

const file_calls& suspending_calls() { return plain_calls(); }

bool can_suspend() { return false; }

// A nap of the whole stream, as short as its other units can bear.
void pause_for(std::chrono::nanoseconds time) {
    constexpr std::chrono::nanoseconds nap = std::chrono::microseconds(100);
    const auto end = std::chrono::steady_clock::now() + time;
    for (auto rest = time; rest.count() > 0; rest = end - std::chrono::steady_clock::now()) {
        std::this_thread::sleep_for(std::min(rest, nap));
        ABT_thread_yield();
    }
}

}  // namespace ioservice

#endif
