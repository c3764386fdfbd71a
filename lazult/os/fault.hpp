// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace lazult::os {

// Explains a faulting address: returns true, with a NUL-terminated text in the buffer, if the fault
// is a stack overflow of ours. It runs in a signal handler, so it may not lock or allocate.
using fault_describer = bool (*)(void* address, char* buffer, std::size_t size) noexcept;

// Installs a handler for SIGSEGV and SIGBUS. It writes the describer's text to stderr, and then
// always calls the earlier handler, or takes the default action with its core dump. A second call
// only replaces the describer.
void install_fault_handler(fault_describer describer) noexcept;

// Gives the calling OS thread an alternate signal stack, because an overflowing stack has no room
// for a handler. Keeps the thread's own alternate stack if that is large enough. Calls nest; each
// is undone by leave_fault_stack(). Returns false if memory is exhausted.
bool enter_fault_stack() noexcept;
void leave_fault_stack() noexcept;

}  // namespace lazult::os
