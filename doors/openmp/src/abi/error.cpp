// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: the error directive, in libgomp's words.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "abi/export.hpp"

namespace {

constexpr std::size_t length_unknown = static_cast<std::size_t>(-1);

void say(const char* kind, const char* message, std::size_t length) {
    const std::string_view text = message == nullptr         ? std::string_view()
                                  : length == length_unknown ? std::string_view(message)
                                                             : std::string_view(message, length);
    const char* colon = message == nullptr ? "" : ": ";
    std::fprintf(stderr, "\nlibgomp: %serror directive encountered%s%.*s\n", kind, colon,
                 static_cast<int>(text.size()), text.data());
}

}  // namespace

extern "C" {

OMP_API void GOMP_warning(const char* message, std::size_t length) { say("", message, length); }

OMP_API void GOMP_error(const char* message, std::size_t length) {
    say("fatal error: ", message, length);
    std::exit(EXIT_FAILURE);  // NOLINT(concurrency-mt-unsafe): as libgomp does
}
}
