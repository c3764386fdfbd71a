// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a thread is created. Model: pthread_attr_t and ABT_thread_attr.
#pragma once

#include <lazult/technique.hpp>

#include <cstddef>
#include <span>

namespace lazult {

class pool;

/// Attributes of a thread or task. Those that are left as they are take their values from options.
/// Functions only read this object, so one object may serve many threads at once.
struct thread_attributes {
    technique how = technique::configured;  ///< how it starts, and what its first suspension costs
    /// Bytes, rounded up to a power of two; 0: options::stack_size. The thread may use seven
    /// eighths of that (of less than 32 KiB, all but 4 KiB), whatever its technique is and whatever
    /// starts it; using more than the whole is an overflow. A joiner may call the thread on the
    /// joiner's stack. If that is larger, or an OS thread's (main's), the thread finds more room.
    /// options::exact_stacks, or LAZULT_EXACT_STACKS=1, forbids that to joiners, so that a program
    /// can be tested for the stack that it uses. It costs some 10 ns for each such join. See
    /// docs/techniques.md.
    std::size_t stack_size = 0;
    pool* where = nullptr;     ///< its pool; nullptr: the pool of the stream that creates it
    int priority = 0;          ///< 0 (most urgent) to 7; only priority pools use it
    bool child_first = false;  ///< starts at once, in place of its creator, which becomes ready
    /// Memory of the caller for the stack, at least 2 KiB; empty: the library provides a stack. The
    /// memory must live until the join. The thread then starts by a technique with its own stack.
    std::span<std::byte> stack = {};
    const char* name = nullptr;  ///< for messages and tools; the first 31 characters are kept
};

}  // namespace lazult
