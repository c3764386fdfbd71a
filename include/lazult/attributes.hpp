// SPDX-License-Identifier: BSD-3-Clause
// How a thread is created. Model: pthread_attr_t and ABT_thread_attr.
#pragma once

#include <lazult/technique.hpp>

#include <cstddef>
#include <span>

namespace lazult {

class pool;

// What is not given is as the options say. Only read: one object may serve many threads at once.
struct thread_attributes {
    technique how = technique::configured;  // how it starts, and what its first suspension costs
    std::size_t stack_size = 0;             // bytes, rounded up to a power of two; 0: options::stack_size
    pool* where = nullptr;                  // nullptr: the pool of the stream that creates it
    int priority = 0;                       // 0 (most urgent) to 7, in a priority pool
    bool child_first = false;               // starts at once, in place of its creator, who becomes ready
    // Memory of the caller's for its stack, from 2 KiB on. It must live until the join. Implies a technique with a
    // stack of its own.
    std::span<std::byte> stack = {};
    const char* name = nullptr;  // 31 characters are kept
};

}  // namespace lazult
