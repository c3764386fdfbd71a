// SPDX-License-Identifier: BSD-3-Clause
// Describes stack overflows.
#pragma once

#include <cstddef>

namespace lazult::watch {

// For os::install_fault_handler(). If the fault at `address` is an overflow of a stack of the
// runtime's, or of an OS thread that the runtime knows, writes a line of text and returns true.
// Async-signal-safe.
bool describe_overflow(void* address, char* buffer, std::size_t size) noexcept;

}  // namespace lazult::watch
