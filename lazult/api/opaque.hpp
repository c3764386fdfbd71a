// SPDX-License-Identifier: BSD-3-Clause
// From the bytes in a public object to what they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "lazult/api/refusal.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::api {

// Objects of floor 7 whose bytes are all zero when they are new: so public ones need no constructor in the library
// and may be static.
template <class T, std::size_t size>
LAZULT_ALWAYS_INLINE T& opaque(std::byte (&state)[size]) noexcept {
    static_assert(sizeof(T) <= size && alignof(T) <= 8);
    return *std::launder(reinterpret_cast<T*>(state));
}

inline bool may_wait() noexcept { return sync::this_flow<>().may_wait; }

// True unless the time is over. Throws error for other statuses.
inline bool in_time(base::status s, std::string_view object) {
    if (s == base::status::timed_out) {
        return false;
    }
    require(s, object);
    return true;
}

}  // namespace lazult::api
