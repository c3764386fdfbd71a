// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lazult::base {

// Leaves the calling OS thread's errno as it was: what runs meanwhile may set it, although the
// value may be that of the next ULT already. Also in signal handlers.
class errno_guard {
public:
    errno_guard() noexcept : value_(current()) {}
    ~errno_guard() { set_current(value_); }
    errno_guard(const errno_guard&) = delete;
    errno_guard& operator=(const errno_guard&) = delete;

private:
    static int current() noexcept;
    static void set_current(int value) noexcept;

    int value_;
};

}  // namespace lazult::base
