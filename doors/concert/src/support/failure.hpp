// SPDX-License-Identifier: BSD-3-Clause
// How functions of the door fail: they return a number, and keep words for concert_last_error().
// Each OS thread has words of its own.
#pragma once

#include "lazult/base/base.hpp"

#include <string>
#include <string_view>

namespace lazult::concert {

struct failure {
    int code = 0;
    std::string object;
    std::string cause;
    std::string cure;
};

// Keeps the failure as the calling thread's last one, and returns the code.
LAZULT_COLD int fail(int code, std::string_view object, std::string_view cause,
                     std::string_view cure);
const failure& last_failure() noexcept;

// These two set only the text of concert_last_error(). last_failure() stays as it was, because
// a handler has failed, and not the call.
void remember_failure(std::string_view object, std::string_view cause, std::string_view cure);
void remember_words(const std::string& words);
const std::string& last_words() noexcept;

}  // namespace lazult::concert
