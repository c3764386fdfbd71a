// SPDX-License-Identifier: BSD-3-Clause
// The numbers of execution streams. For each unit the core keeps, in two bytes, the number of the
// stream where it ran last. So each stream of the door has a number. Number 0 means "no stream".
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

inline constexpr std::size_t xstream_numbers = 65536;
// field       written by                                read by    order
// xstream_at  creators and freers of streams (a lock)   anybody    release / acquire
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<ABT_xstream> xstream_at[xstream_numbers];

// Returns the stream with this number, or nullptr if no stream has it.
inline ABT_xstream xstream_numbered(std::size_t number) noexcept {
    // acquire pairs with: enter_xstream(), store of xstream_at
    return xstream_at[number].load(std::memory_order_acquire);
}
// Returns the stream of the door that the calling OS thread is, or nullptr if it is none. `w` is
// the caller's worker.
inline ABT_xstream running_xstream(const worker& w) noexcept {
    return xstream_numbered(w.stream_number());
}

}  // namespace lazult::abt
