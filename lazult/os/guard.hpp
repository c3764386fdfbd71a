// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::os {

// Ways to guard a stack, from best to worst. madvise (Linux 6.13+) needs no mapping of its own.
// mprotect splits a mapping, and a process may have 65,530 of them by default. A canary detects an
// overflow only afterwards. `none` detects nothing.
enum class guard_method : std::uint8_t { madvise, mprotect, canary, none };

const char* name(guard_method method) noexcept;

// Returns madvise if the kernel has it (tried once), else mprotect.
guard_method best_guard_method() noexcept;

// Guards whole, writable pages of anonymous private memory; their contents are lost. If the wanted
// method is refused, or if guards by mprotect would leave too few mappings for other uses, it takes
// the next worse one. Returns the method that it used: pass that to remove_guard() before the
// memory is released.
guard_method install_guard(void* page, std::size_t bytes, guard_method wanted) noexcept;

// Makes the pages writable again; their contents are unspecified.
void remove_guard(void* page, std::size_t bytes, guard_method installed) noexcept;

// Stops counting a guard. Call this if its pages are unmapped without remove_guard().
void forget_guard(guard_method installed) noexcept;

// Returns false if the page, which a canary guards, was written to.
bool canary_intact(const void* page, std::size_t bytes) noexcept;

}  // namespace lazult::os
