// SPDX-License-Identifier: BSD-3-Clause
// What a stream does that has no memory for a stack: it waits while others may give some back, and then ends the process with a
// line that says which limit it met.
#pragma once

#include <cstddef>

#include "lazult/core/worker.hpp"

namespace lazult::core {

// A short while passes. The process ends where waiting has become useless.
void await_stack(worker& w, std::uint8_t size_class) noexcept;
// Likewise for a unit that is put behind the others of its pool: at once, until all of them have been tried.
void await_stack_of(worker& w, const work_unit& u) noexcept;

// For the process's life, by who may wake units though no stream runs any: timers, events. Registering again does nothing; without
// room for it, a stream waits its full time.
using waker = bool (*)() noexcept;
void add_waker(waker is_expected) noexcept;

}  // namespace lazult::core
