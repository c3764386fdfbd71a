// SPDX-License-Identifier: BSD-3-Clause
// From the core's statuses to the door's exceptions.
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

// Throws what a status means to the user of such an object.
[[noreturn]] LAZULT_COLD void refuse(base::status s, std::string_view object);
[[noreturn]] LAZULT_COLD void refuse(base::status s, std::string_view object,
                                     std::string_view cause, std::string_view cure);

// Unwinds the running unit if lazult::cancel() asked for that, and it may be unwound here.
void unwind_if_canceled();

// Of a wait that ended as canceled, without a stop request: unwinds as above. Returns true where
// there is nothing to unwind for: the unit honoured the request elsewhere, at a yield say, and
// caught it, and the canceller came late, to a wait that it did not mean.
bool was_ended_by_mistake(base::status s);

// This function is not inlined, because its callers seldom need it.
template <class Wait>
LAZULT_COLD base::status wait_again(base::status s, Wait wait) {
    while (was_ended_by_mistake(s)) {
        s = wait();
    }
    return s;
}

// wait(), and again after such an end.
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
