// SPDX-License-Identifier: BSD-3-Clause
// What the library throws when it is used in a way that cannot work, or when the system refuses.
#pragma once

#include <lazult/export.hpp>

#include <stdexcept>
#include <string_view>
#include <system_error>

namespace lazult {

enum class errc : int {
    invalid_handle = 1,  // the object stands for nothing: joined, detached, moved from
    invalid_argument,
    freed_handle,    // an id of a thread that was joined meanwhile
    would_deadlock,  // a wait for oneself
    cannot_suspend,  // in a tasklet or run_to_completion thread, or outside all execution streams
    out_of_memory,
    timed_out,
    already_joined,  // somebody else waits for it
    not_supported,
    closed,  // a channel
    busy,
    canceled,
    shutting_down,
};

// Its category is named "lazult". Codes compare equal to the std::errc of the same meaning.
LAZULT_API const std::error_category& error_category() noexcept;
LAZULT_API std::error_code make_error_code(errc code) noexcept;

// As std::system_error; what() names the object, the cause and the cure: "lazult: thread: it is not joinable; ...".
class LAZULT_API error : public std::system_error {
public:
    error(errc code, std::string_view object, std::string_view cause, std::string_view cure);
    error(const error&) noexcept;
    error& operator=(const error&) noexcept;
    ~error() override;

    const char* what() const noexcept override;

private:
    std::runtime_error text_;  // copies without throwing
};

}  // namespace lazult

template <>
struct std::is_error_code_enum<lazult::errc> : std::true_type {};
