// SPDX-License-Identifier: BSD-3-Clause
// How deep ULTs go on their stacks, for each entry function (LAZULT_STACK_USE).
//
// Where this is on, each unit is traced (trace.hpp), and each ULT has a stack of its own. Its start
// empties that stack: whole pages go back to the system, and the rest is filled with zeros. So what
// was on the stack before does not count. Its end looks for the lowest page that was touched, and
// there for the lowest word that is not zero. If the page has none, it counts whole: code that
// touches each page of a large frame has touched it. If the deepest bytes that the ULT wrote were
// zeros, the figure is less than a page too small. enough_stack() allows for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// ULTs that had one entry function and stacks of one size, and have ended.
struct stack_use {
    entry_function entry;
    std::size_t stack_bytes;
    std::uint64_t units;
    std::size_t deepest;  // bytes
    std::size_t median;
};

// Returns such figures, the deepest first. Any thread may call this. Throws std::bad_alloc.
std::vector<stack_use> stack_uses();
// Returns how many ULTs are not in them because there was no memory.
std::uint64_t uncounted_stack_uses() noexcept;

// Returns the stack size that is enough for ULTs that went so deep: their depth and a reserve, on
// the part of a stack that a ULT may use (docs/techniques.md), in whole pages. The reserve is a
// quarter of the depth, and a page of 4 KiB at least.
std::size_t enough_stack(std::size_t deepest) noexcept;

// For trace.cpp. Makes the plan of a new unit that the unit runs on a stack of its own.
void give_own_stack(work_unit& u) noexcept;
// Empties the stack of a unit that is about to start. It gets a stack before, if it has none.
void begin_stack_use(worker& w, work_unit& u) noexcept;
// Called by the unit at its end, on its stack.
void end_stack_use(const work_unit& u) noexcept;

}  // namespace lazult::core
