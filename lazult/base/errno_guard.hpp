// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lazult::base {

// Saves the calling OS thread's errno and restores it at the end of the scope, because code in the
// scope may set errno when it is already the errno of the next ULT. Also safe in signal handlers.
class errno_guard {
public:
    errno_guard() noexcept : value_(current()) {}
    ~errno_guard() { set_current(value_); }
    errno_guard(const errno_guard&) = delete;
    errno_guard& operator=(const errno_guard&) = delete;

    // Returns the calling OS thread's errno. ThreadSanitizer does not see the access.
    static int current() noexcept;

private:
    static void set_current(int value) noexcept;

    int value_;
};

}  // namespace lazult::base
