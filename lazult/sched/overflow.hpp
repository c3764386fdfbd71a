// SPDX-License-Identifier: BSD-3-Clause
// What is told of a stack that overflowed.
#pragma once

#include <cstddef>

namespace lazult::sched {

// For os::install_fault_handler(). True, and a line of text, for an address where a stack of ours overflows, or the own stack of an OS
// thread that is known here. Async-signal-safe.
bool describe_overflow(void* address, char* buffer, std::size_t size) noexcept;

}  // namespace lazult::sched
