// SPDX-License-Identifier: BSD-3-Clause
// Fills the records of tasks.
#pragma once

#include <cstring>

#include "model/team.hpp"

namespace lazult::omp {

LAZULT_ALWAYS_INLINE task& expect_memory(task* fresh) {
    if (fresh == nullptr) LAZULT_UNLIKELY {
        base::fatal_misuse("OpenMP task", "no memory for it", "create fewer tasks at once");
    }
    return *fresh;
}

// The alignment is a power of two.
inline std::byte* aligned(std::byte* at, std::size_t alignment) noexcept {
    return at + (-reinterpret_cast<std::uintptr_t>(at) & (alignment - 1));
}

// As memcpy(), which would be a call, for the few words that most arguments are: two moves that
// overlap replace a loop.
LAZULT_ALWAYS_INLINE void copy_words(void* to, const void* from, std::size_t bytes) noexcept {
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    if (bytes > 32) {
        std::memcpy(target, source, bytes);
    } else if (bytes >= 16) LAZULT_LIKELY {
        std::byte last[16];
        std::memcpy(last, source + bytes - 16, 16);
        std::memcpy(target, source, 16);
        std::memcpy(target + bytes - 16, last, 16);
    } else if (bytes == 8) {
        std::memcpy(target, source, 8);
    } else if (bytes != 0) {
        std::memcpy(target, source, bytes);
    }
}

// Fills a new task's record. Its other fields are as task::clean() leaves them.
LAZULT_ALWAYS_INLINE void begin_record(task& fresh, thread& t, task& parent, taskgroup* group,
                                       unsigned flags) noexcept {
    fresh.parent = &parent;
    fresh.its_team = t.its_team;
    fresh.group = group;
    fresh.depth = parent.depth + 1;
    fresh.flags = static_cast<std::uint16_t>(flags);
    fresh.variables = parent.variables;
}

}  // namespace lazult::omp
