// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "lazult/base/base.hpp"

namespace lazult::tool {

// What the user asked for makes no sense: exit code 2.
struct usage_error : std::runtime_error {
    usage_error(std::string_view object, std::string_view cause, std::string_view cure)
        : std::runtime_error(base::describe_misuse(object, cause, cure)) {}
};

// It made sense and did not work: exit code 1.
struct failure : std::runtime_error {
    failure(std::string_view object, std::string_view cause, std::string_view cure)
        : std::runtime_error(base::describe_misuse(object, cause, cure)) {}
};

}  // namespace lazult::tool
