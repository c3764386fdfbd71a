// SPDX-License-Identifier: BSD-3-Clause
// Read-modify-write operations that need a locked instruction only if the process has a second OS
// thread.
//
// A process with one OS thread needs none, because the ULTs of one stream switch only at calls into
// the runtime, never between a load and a store. glibc's mutexes do the same. The C library notes a
// new thread before that thread starts, so alone() cannot turn false in the middle of an operation.
#pragma once

#include "lazult/ds/atomics.hpp"

#include <atomic>
#include <concepts>

namespace lazult::ds {

// Returns true if the process has one OS thread. Always false under TSan, which learns from our
// acquires and releases how the ULTs of one stream are ordered. Always false in chaos builds and in
// the model checker, because they test the interleavings of the atomics.
template <class Atomics>
LAZULT_ALWAYS_INLINE bool alone() noexcept {
    if constexpr (probe::tsan || probe::chaos || !std::same_as<Atomics, std_atomics>) {
        return false;
    } else {
        return os::is_single_threaded();
    }
}

// Does what compare_exchange_strong() does, without the lock prefix if the caller is alone. The
// callers say what the orders pair with.
template <class Atomics, class Word, class Value>
LAZULT_ALWAYS_INLINE bool swap_if(Word& word, Value& expected, Value desired,
                                  std::memory_order success, std::memory_order failure) noexcept {
    if (alone<Atomics>()) {
        const Value before = word.load(std::memory_order_relaxed);
        if (before != expected) LAZULT_UNLIKELY {
            expected = before;
            return false;
        }
        word.store(desired, std::memory_order_relaxed);
        return true;
    }
    return word.compare_exchange_strong(expected, desired, success, failure);
}

}  // namespace lazult::ds
