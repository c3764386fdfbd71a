// SPDX-License-Identifier: BSD-3-Clause
// Recycled memory for callables that do not fit into a descriptor, and for the door's small
// records.
//
// Four size classes, a free list of each to every OS thread. A block is kept by the thread that
// frees it; lists that grow too long give half to a depot that all threads share, so that a
// producer's blocks come back from its consumer.
#pragma once

#include <cstddef>

#include "lazult/base/base.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::api {

// Recycling would hide from AddressSanitizer that a block is used after its end. ThreadSanitizer
// takes the ULTs of one OS thread, which share its lists, for threads that race.
inline constexpr bool recycles_blocks = !probe::asan && !probe::tsan;

inline constexpr std::size_t smallest_block = 64;
inline constexpr std::size_t largest_block = 512;
inline constexpr std::size_t block_classes = 4;

// Aligned to a cache line. nullptr when memory is exhausted. Out of line, because these functions
// use thread-local variables: no caller may keep the address of one over a suspension.
LAZULT_NOINLINE void* take_block(std::size_t bytes) noexcept;
LAZULT_NOINLINE void give_block(void* block, std::size_t bytes) noexcept;

// Blocks that wait in the caller's lists, for tests.
std::size_t kept_blocks() noexcept;

}  // namespace lazult::api
