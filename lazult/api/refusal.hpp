// SPDX-License-Identifier: BSD-3-Clause
// From the core's statuses to the door's exceptions.
#pragma once

#include <lazult/error.hpp>

#include <string_view>

#include "lazult/base/base.hpp"

namespace lazult::api {

static_assert(static_cast<int>(errc::invalid_handle) == static_cast<int>(base::status::invalid_handle));
static_assert(static_cast<int>(errc::shutting_down) == static_cast<int>(base::status::shutting_down));

constexpr errc errc_of(base::status s) noexcept { return static_cast<errc>(s); }

// Throws what a status means to the user of such an object.
[[noreturn]] LAZULT_COLD void refuse(base::status s, std::string_view object);
[[noreturn]] LAZULT_COLD void refuse(base::status s, std::string_view object, std::string_view cause,
                                     std::string_view cure);

// Unwinds the running unit if lazult::cancel() asked for that, and it may be unwound here.
void unwind_if_canceled();

inline void require(base::status s, std::string_view object) {
    if (s != base::status::ok) LAZULT_UNLIKELY {
        refuse(s, object);
    }
}

}  // namespace lazult::api
