// SPDX-License-Identifier: BSD-3-Clause
// Which execution stream has which number. The core notes in two bytes where a unit ran last, so
// each stream of the door has a number. The first one means nowhere.
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

inline constexpr std::size_t xstream_numbers = 65536;
// field       written by                       read by    order
// xstream_at  streams that come and go (lock)  anybody    release / acquire
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<ABT_xstream> xstream_at[xstream_numbers];

// nullptr: none has this number.
inline ABT_xstream xstream_numbered(std::size_t number) noexcept {
    // acquire pairs with: enter_xstream(), store of xstream_at
    return xstream_at[number].load(std::memory_order_acquire);
}
// Of a thread that runs units of this door, which keeps it; nullptr elsewhere.
inline ABT_xstream running_xstream(const worker& w) noexcept {
    return xstream_numbered(w.stream_number);
}

}  // namespace lazult::abt
