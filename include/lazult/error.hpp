// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The exception that the library throws when it is used in a way that cannot work, or when the
/// system refuses something.
#pragma once

#include <lazult/export.hpp>

#include <stdexcept>
#include <string_view>
#include <system_error>

namespace lazult {

/// What went wrong. Each error comes with a message that names the object, the cause and the cure.
enum class errc : int {
    invalid_handle = 1,  ///< the object is empty: joined, detached, moved from
    invalid_argument,    ///< an argument is out of its range; the message names it
    freed_handle,        ///< an id of a thread that was joined meanwhile
    would_deadlock,      ///< a thread would wait for itself
    /// the caller is a tasklet, a run_to_completion thread, or outside all execution streams
    cannot_suspend,
    out_of_memory,   ///< no memory for units or stacks, or no more OS threads
    timed_out,       ///< the time of a wait is over
    already_joined,  ///< another thread waits for it
    not_supported,   ///< not possible here, or not for this caller
    closed,          ///< the channel is closed
    busy,            ///< another thread uses the object
    canceled,        ///< lazult::cancel() ended the operation
    shutting_down,   ///< the runtime stops
};

/// The category "lazult" of these errors. Codes equal the std::errc of the same meaning.
LAZULT_API const std::error_category& error_category() noexcept;
/// Makes a std::error_code of a lazult::errc, for comparisons. Thread-safe.
LAZULT_API std::error_code make_error_code(errc code) noexcept;

/// A std::system_error with a message that names the object, the cause and the cure: "lazult:
/// thread: it is not joinable; ...".
class LAZULT_API error : public std::system_error {
public:
    /// An error with the message "lazult: OBJECT: CAUSE; CURE".
    error(errc code, std::string_view object, std::string_view cause, std::string_view cure);
    /// The copy shares the text, so copying never throws.
    error(const error&) noexcept;
    /// Shares the text, too, and never throws.
    error& operator=(const error&) noexcept;
    ~error() override;

    /// Returns the whole message, in English; valid as long as the error.
    const char* what() const noexcept override;

private:
    std::runtime_error text_;  // copies without throwing
};

}  // namespace lazult

/// @cond
template <>
struct std::is_error_code_enum<lazult::errc> : std::true_type {};
/// @endcond
