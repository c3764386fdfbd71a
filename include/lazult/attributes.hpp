// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a thread is created. Model: pthread_attr_t and ABT_thread_attr.
#pragma once

#include <lazult/technique.hpp>

#include <cstddef>
#include <span>

namespace lazult {

class pool;

/// What is not given is as the options say. Only read: one object may serve many threads at once.
struct thread_attributes {
    technique how = technique::configured;  ///< how it starts, and what its first suspension costs
    /// Bytes, rounded up to a power of two; 0: options::stack_size. The thread may use seven
    /// eighths of that (of less than 32 KiB, all but 4 KiB), whatever its technique is and whatever
    /// starts it; more than the whole is an overflow. But a joiner may call it on its own stack,
    /// and if that is an OS thread's (main's) or larger than this, more is left there. With
    /// options::exact_stacks, or LAZULT_EXACT_STACKS=1, no joiner does, which costs some 10 ns for
    /// each such join: so a program can be tested for what it uses. See docs/techniques.md.
    std::size_t stack_size = 0;
    pool* where = nullptr;     ///< nullptr: the pool of the stream that creates it
    int priority = 0;          ///< 0 (most urgent) to 7, in a priority pool
    bool child_first = false;  ///< starts at once, in place of its creator, which becomes ready
    /// Memory of the caller's for its stack, from 2 KiB on. It must live until the join. Implies a
    /// technique with a stack of its own.
    std::span<std::byte> stack = {};
    const char* name = nullptr;  ///< 31 characters are kept
};

}  // namespace lazult
