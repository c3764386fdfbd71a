// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::os {

// From best to worst. madvise (Linux 6.13+) needs no mapping of its own; mprotect splits a mapping,
// of which a process may have 65,530; a canary only notices afterwards; none is none.
enum class guard_method : std::uint8_t { madvise, mprotect, canary, none };

const char* name(guard_method method) noexcept;

// madvise where the kernel has it (probed once), else mprotect.
guard_method best_guard_method() noexcept;

// Guards whole, writable pages of anonymous private memory; their contents are lost. Where the
// wanted method is refused, or where guards by mprotect would leave too few mappings for other
// things, the next one down is taken, and the one that took effect is returned: remove_guard needs
// it, before the memory is given back.
guard_method install_guard(void* page, std::size_t bytes, guard_method wanted) noexcept;

// The pages are writable again; their contents are unspecified.
void remove_guard(void* page, std::size_t bytes, guard_method installed) noexcept;

// Of pages that are unmapped with their guard.
void forget_guard(guard_method installed) noexcept;

// For pages guarded by a canary: false when anything wrote there.
bool canary_intact(const void* page, std::size_t bytes) noexcept;

}  // namespace lazult::os
