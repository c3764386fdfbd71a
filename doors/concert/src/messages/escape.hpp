// SPDX-License-Identifier: BSD-3-Clause
// Exceptions that leave handlers, and words that name the handler and the sender.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace lazult::concert {

// An exception that left a handler, and the words about it, which concert_last_error() gives when
// the exception is thrown again.
struct escape {
    std::exception_ptr thrown;
    std::string words;

    explicit operator bool() const noexcept { return thrown != nullptr; }
};

// Called while the exception is handled, on the OS thread of the handler. Makes the words about the
// exception, and prints them to stderr if `aloud`.
void describe_escape(std::string_view handler, unsigned source, bool aloud) noexcept;

// keep_escape() is called while the exception is handled, on the same thread. It returns the
// exception, with the words that were made since expect_escape(), if any.
escape keep_escape() noexcept;
void expect_escape() noexcept;
void rethrow_if_any(const escape& kept);

}  // namespace lazult::concert
