// SPDX-License-Identifier: BSD-3-Clause
// What a stream does if there is no memory for a stack. It waits while other units may give stacks
// back. Then it ends the process, with a line that names the limit that was met.
#pragma once

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Waits a short while. Ends the process if waiting has become useless.
void await_stack(worker& w, std::uint8_t size_class) noexcept;
// await_stack() for a unit that goes to the back of its pool instead. Returns at once until all
// units there have been tried.
void await_stack_of(worker& w, const work_unit& u) noexcept;

// Registers a function, for the process's life. It returns whether timers or events are going to
// wake units though no stream runs any. Registering it again does nothing. If there is no room for
// it, streams wait their full time.
using waker = bool (*)() noexcept;
void add_waker(waker is_expected) noexcept;

}  // namespace lazult::core
