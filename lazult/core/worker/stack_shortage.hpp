// SPDX-License-Identifier: BSD-3-Clause
// What a stream does if it has no memory for a stack. It waits while others may give some back.
// Then it ends the process, with a line that says which limit it met.
#pragma once

#include <cstddef>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Waits a short while. Ends the process if waiting has become useless.
void await_stack(worker& w, std::uint8_t size_class) noexcept;
// The same for a unit that goes behind the others of its pool. Returns at once until all of them
// have been tried.
void await_stack_of(worker& w, const work_unit& u) noexcept;

// Registers, for the process's life, a part that may wake units though no stream runs any: timers,
// events. The function returns whether it is going to. Registering it again does nothing. If there
// is no room for it, a stream waits its full time.
using waker = bool (*)() noexcept;
void add_waker(waker is_expected) noexcept;

}  // namespace lazult::core
