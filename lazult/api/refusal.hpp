// SPDX-License-Identifier: BSD-3-Clause
// Turns the core's statuses into the exceptions of the C++ interface.
#pragma once

#include <lazult/error.hpp>

#include <string_view>

#include "lazult/base/base.hpp"

namespace lazult::api {

static_assert(static_cast<int>(errc::invalid_handle) ==
              static_cast<int>(base::status::invalid_handle));
static_assert(static_cast<int>(errc::shutting_down) ==
              static_cast<int>(base::status::shutting_down));

constexpr errc errc_of(base::status s) noexcept { return static_cast<errc>(s); }

// Throws an error that explains the status to the user of `object`.
[[noreturn]] LAZULT_COLD void refuse(base::status s, std::string_view object);
[[noreturn]] LAZULT_COLD void refuse(base::status s, std::string_view object,
                                     std::string_view cause, std::string_view cure);

// Unwinds the running unit if lazult::cancel() has asked for that, and the unit may be unwound now.
void unwind_if_canceled();

// Call this with the status of a wait, if no stop was requested. If the status is canceled, it
// unwinds the running unit; if there is no request to unwind for, it returns true. That happens if
// the unit has already taken the request elsewhere, at a yield say, and caught the exception, and
// the canceller then ended a later wait by mistake.
bool was_ended_by_mistake(base::status s);

// Not inlined, because its callers seldom need it.
template <class Wait>
LAZULT_COLD base::status wait_again(base::status s, Wait wait) {
    while (was_ended_by_mistake(s)) {
        s = wait();
    }
    return s;
}

// Calls wait(), and calls it again whenever it was ended by mistake.
template <class Wait>
LAZULT_ALWAYS_INLINE base::status wait_to_its_end(Wait wait) {
    const base::status s = wait();
    return s == base::status::ok ? s : wait_again(s, wait);
}

inline void require(base::status s, std::string_view object) {
    if (s != base::status::ok) LAZULT_UNLIKELY {
        refuse(s, object);
    }
}

}  // namespace lazult::api
