// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the library throws when it is used in a way that cannot work, or when the system refuses.
#pragma once

#include <lazult/export.hpp>

#include <stdexcept>
#include <string_view>
#include <system_error>

namespace lazult {

/// What went wrong. Each comes with a message that names the object, the cause and the cure.
enum class errc : int {
    invalid_handle = 1,  ///< the object stands for nothing: joined, detached, moved from
    invalid_argument,    ///< out of its range; the message names it
    freed_handle,        ///< an id of a thread that was joined meanwhile
    would_deadlock,      ///< a wait for oneself
    /// in a tasklet or run_to_completion thread, or outside all execution streams
    cannot_suspend,
    out_of_memory,   ///< of memory for units or stacks, or of OS threads
    timed_out,       ///< a wait ended by its time
    already_joined,  ///< somebody else waits for it
    not_supported,   ///< not here, or not by this caller
    closed,          ///< a channel
    busy,            ///< in use by another
    canceled,        ///< by lazult::cancel()
    shutting_down,   ///< the runtime stops
};

/// Its category is named "lazult". Codes compare equal to the std::errc of the same meaning.
LAZULT_API const std::error_category& error_category() noexcept;
/// So that a code compares with a lazult::errc. Thread-safe.
LAZULT_API std::error_code make_error_code(errc code) noexcept;

/// As std::system_error; what() names the object, the cause and the cure: "lazult: thread: it is
/// not joinable; ...".
class LAZULT_API error : public std::system_error {
public:
    /// As the library makes them: "lazult: OBJECT: CAUSE; CURE".
    error(errc code, std::string_view object, std::string_view cause, std::string_view cure);
    /// Copies share the text, so that copying never throws.
    error(const error&) noexcept;
    /// Assignment shares the text, too, and never throws.
    error& operator=(const error&) noexcept;
    ~error() override;

    /// The whole message, in English; valid as long as the error.
    const char* what() const noexcept override;

private:
    std::runtime_error text_;  // copies without throwing
};

}  // namespace lazult

/// @cond
template <>
struct std::is_error_code_enum<lazult::errc> : std::true_type {};
/// @endcond
