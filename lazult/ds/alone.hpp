// SPDX-License-Identifier: BSD-3-Clause
// Read-modify-writes that cost a locked instruction only where there is somebody to be locked out.
//
// A process with one OS thread (one stream, nothing else) needs none: ULTs of one stream switch
// only where they say so, never between a load and a store. glibc's own mutexes do the same. The C
// library knows about every thread before it starts, so the answer cannot turn false in the middle
// of an operation.
#pragma once

#include "lazult/ds/atomics.hpp"
#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

#include <atomic>
#include <concepts>

namespace lazult::ds {

// Never under TSan: the edges between ULTs of one stream are those of our acquires and releases.
// Never in chaos builds and in the model, where the interleavings of the atomics are what is
// tested.
template <class Atomics>
LAZULT_ALWAYS_INLINE bool alone() noexcept {
    if constexpr (probe::tsan || !std::same_as<Atomics, std_atomics>) {
        return false;
    } else {
        return os::is_single_threaded();
    }
}

// compare_exchange_strong, without the lock prefix where the caller is alone. The callers name the
// orders' pairs.
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
