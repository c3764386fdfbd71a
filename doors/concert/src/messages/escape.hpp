// SPDX-License-Identifier: BSD-3-Clause
// Exceptions that leave handlers. The handler and the sender are named when the exception leaves.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace lazult::concert {

// What left a handler, and the words about it: concert_last_error() says them where it is thrown
// again.
struct escape {
    std::exception_ptr thrown;
    std::string words;

    explicit operator bool() const noexcept { return thrown != nullptr; }
};

// While it is handled, on the OS thread of the handler: these are the words about it. On stderr
// too, if `aloud`.
void describe_escape(std::string_view handler, unsigned source, bool aloud) noexcept;

// While it is handled, on the same thread: with the words, if there have been any since
// expect_escape().
escape keep_escape() noexcept;
void expect_escape() noexcept;
void rethrow_if_any(const escape& kept);

}  // namespace lazult::concert
