// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace lazult::os {

// Explains a faulting address: true when it is a stack overflow that we know, with a NUL-terminated
// text in the buffer. It runs in a signal handler: no locks, no allocation.
using fault_describer = bool (*)(void* address, char* buffer, std::size_t size) noexcept;

// Handles SIGSEGV and SIGBUS: what the describer explains goes to stderr; then, always, the handler
// that was there before runs (or the default action, with its core dump). A second call only
// replaces the describer.
void install_fault_handler(fault_describer describer) noexcept;

// Puts the earlier handlers back, unless somebody has installed others since; then ours stays, for
// they may chain to it, and only falls silent.
void remove_fault_handler() noexcept;

// The calling OS thread's alternate signal stack: an overflowing stack has no room for a handler. A
// thread's own alternate stack is kept when it is large enough. Calls nest. False when memory ran
// out.
bool enter_fault_stack() noexcept;
void leave_fault_stack() noexcept;

}  // namespace lazult::os
