// SPDX-License-Identifier: BSD-3-Clause
// The calls of the kernel that the store makes, in two forms.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>

namespace ioservice {

// Each returns what the call of POSIX returns, or -errno.
class file_calls {
public:
    virtual ~file_calls() = default;
    virtual int open(const char* path, int flags) const = 0;
    virtual ssize_t read(int file, void* into, std::size_t bytes, off_t offset) const = 0;
    virtual ssize_t write(int file, const void* from, std::size_t bytes, off_t offset) const = 0;
    virtual int sync(int file) const = 0;
    virtual int close(int file) const = 0;
};

// They block the OS thread.
const file_calls& plain_calls();

// They suspend the ULT where abt.h comes with abtx.h. Elsewhere they are the plain ones.
const file_calls& suspending_calls();
bool can_suspend();

// Other units of the stream run meanwhile.
void pause_for(std::chrono::nanoseconds time);

}  // namespace ioservice
