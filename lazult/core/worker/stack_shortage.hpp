// SPDX-License-Identifier: BSD-3-Clause
// What a stream does if there is no memory for a stack. It waits while other units may give stacks
// back. Then it ends the process, with a line that names the limit that was met.
#pragma once

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Waits a short while for a stack of the size class. Ends the process if no unit is going to give a
// stack back, or if the stream has waited for ten seconds.
void await_stack(worker& w, std::uint8_t size_class) noexcept;
// Called before `u`, for which there is no stack, is pushed behind the other units of its pool.
// Returns at once while other units of the pool are still to be tried, because one that has a stack
// may run and give it back. Calls await_stack() when all have been tried in vain.
void await_stack_of(worker& w, const work_unit& u) noexcept;

// Registers a function, for the process's life. The function returns whether timers or events are
// going to wake units though no stream runs any. Registering the same function again does nothing.
// If there is no room for the function, streams assume from then on that units are going to be
// woken, and wait their full time.
using waker = bool (*)() noexcept;
void add_waker(waker is_expected) noexcept;

}  // namespace lazult::core
