// SPDX-License-Identifier: BSD-3-Clause
// Recycled memory for callables that do not fit into a descriptor, and for small records.
//
// There are four size classes. Each OS thread has a free list of each class, to which it adds the
// blocks that it frees. If a list grows too long, a batch goes to a depot that all threads share.
// So blocks that a producer allocates and a consumer frees come back to the producer.
#pragma once

#include <cstddef>

#include "lazult/probe/probe.hpp"

namespace lazult::api {

// Blocks are not recycled under AddressSanitizer, which would not see that a block is used after
// its end, and not under ThreadSanitizer, which takes the ULTs of one OS thread, which share its
// lists, for threads that race.
inline constexpr bool recycles_blocks = !probe::asan && !probe::tsan;

inline constexpr std::size_t smallest_block = 64;
inline constexpr std::size_t largest_block = 512;
inline constexpr std::size_t block_classes = 4;

// take_block() returns memory aligned to a cache line, or nullptr when memory is exhausted. Both
// are not inlined, because they use thread-local variables, and no caller may keep the address of
// one over a suspension.
LAZULT_NOINLINE void* take_block(std::size_t bytes) noexcept;
LAZULT_NOINLINE void give_block(void* block, std::size_t bytes) noexcept;

// Returns how many blocks are in the caller's lists, for tests.
std::size_t kept_blocks() noexcept;

}  // namespace lazult::api
