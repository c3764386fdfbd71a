// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/misuse.hpp"

#include "lazult/base/errno_guard.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include <sys/uio.h>
#include <unistd.h>

namespace lazult::base {
namespace {

using pieces = std::array<std::string_view, 8>;

pieces misuse_pieces(std::string_view object, std::string_view cause,
                     std::string_view cure) noexcept {
    if (cure.empty()) {
        return {"lazult: ", object, ": ", cause};
    }
    return {"lazult: ", object, ": ", cause, "; ", cure};
}

// Writes with one system call, so that lines of several threads do not mix. Does not continue a
// short write: standard error is closed or full then, and there is no other place for the message.
void write_line(pieces line) noexcept {
    std::array<iovec, std::tuple_size_v<pieces> + 1> parts;
    std::size_t used = 0;
    for (std::string_view piece : line) {
        parts[used++] = {const_cast<char*>(piece.data()), piece.size()};
    }
    char newline = '\n';
    parts[used++] = {&newline, 1};
    while (::writev(STDERR_FILENO, parts.data(), static_cast<int>(used)) < 0 && errno == EINTR) {
    }
}

}  // namespace

std::string describe_misuse(std::string_view object, std::string_view cause,
                            std::string_view cure) {
    std::string text;
    for (std::string_view piece : misuse_pieces(object, cause, cure)) {
        text += piece;
    }
    return text;
}

void report_misuse(std::string_view object, std::string_view cause,
                   std::string_view cure) noexcept {
    write_line(misuse_pieces(object, cause, cure));
}

void fatal_misuse(std::string_view object, std::string_view cause, std::string_view cure) noexcept {
    report_misuse(object, cause, cure);
    std::abort();
}

void warn(std::string_view message) noexcept {
    const errno_guard kept;
    write_line({"lazult: warning: ", message});
}

void assertion_failed(const char* condition, const char* file, int line) noexcept {
    std::array<char, 16> digits;
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), line).ptr;
    const std::string_view number(digits.data(), static_cast<std::size_t>(end - digits.data()));
    write_line({"lazult: ", file, ":", number, ": assertion failed: ", condition});
    std::abort();
}

}  // namespace lazult::base
