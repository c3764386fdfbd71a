// SPDX-License-Identifier: BSD-3-Clause
// Describes the overflow of a stack.
#pragma once

#include <cstddef>

namespace lazult::watch {

// For os::install_fault_handler(). If one of the runtime's stacks overflows at this address, or the
// own stack of an OS thread that the runtime knows, it writes a line of text and returns true.
// Async-signal-safe.
bool describe_overflow(void* address, char* buffer, std::size_t size) noexcept;

}  // namespace lazult::watch
