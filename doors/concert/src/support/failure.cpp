// SPDX-License-Identifier: BSD-3-Clause
#include "support/failure.hpp"

#include <lazult_concert.hpp>

namespace lazult::concert {
namespace {

struct words {
    failure what;
    std::string text;
};

// Not inlined, because a ULT may go on on another OS thread, which has words of its own.
LAZULT_NOINLINE words& last() noexcept {
    thread_local words mine;
    return mine;
}

errc meaning(int code) noexcept {
    switch (code) {
        case CONCERT_ERR_MEMORY: return errc::out_of_memory;
        case CONCERT_ERR_MPI: return errc::not_supported;
        case CONCERT_ERR_CONTEXT: return errc::busy;
        case CONCERT_ERR_STATE: return errc::invalid_handle;
        default: return errc::invalid_argument;
    }
}

}  // namespace

int fail(int code, std::string_view object, std::string_view cause, std::string_view cure) {
    words& mine = last();
    mine.what = {code, std::string(object), std::string(cause), std::string(cure)};
    mine.text = base::describe_misuse(object, cause, cure);
    return code;
}

const failure& last_failure() noexcept { return last().what; }

void remember_failure(std::string_view object, std::string_view cause, std::string_view cure) {
    last().text = base::describe_misuse(object, cause, cure);
}
void remember_words(const std::string& words) { last().text = words; }
const std::string& last_words() noexcept { return last().text; }

void detail::throw_last_failure() {
    const failure& what = last_failure();
    throw error(meaning(what.code), what.object, what.cause, what.cure);
}

}  // namespace lazult::concert

const char* concert_last_error(void) { return lazult::concert::last().text.c_str(); }
