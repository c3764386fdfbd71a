// SPDX-License-Identifier: BSD-3-Clause
// Mutexes, conditions and eventuals live in 64 bytes: in a slot of the arena, or in memory that the
// client has initialised itself, aligned for an int only. Both have the same layout. A handle
// outside the arena is taken for such memory unless a check excludes it. So the library cannot tell
// a wild pointer from a client's mutex, and a function that gets a wild pointer may fault.
//
//   offset 0         1 in a recursive mutex, else 0
//   offset 8 or 12   the object of sync/, aligned for a pointer
#pragma once

#include <new>

#include "units/thread_part.hpp"

namespace lazult::abt {

struct sync_memory {
    static constexpr std::size_t bytes = 64;

    int word = 0;
    int rest[15] = {};
};
static_assert(sizeof(sync_memory) == sync_memory::bytes &&
              sizeof(ABT_mutex_memory) == sync_memory::bytes);

// Returns the object of sync/ in the memory. All zero bytes are a valid new object of each such
// class.
template <class Part>
Part& part_in(void* memory) noexcept {
    static_assert(alignof(Part) <= 8 && sizeof(Part) <= sync_memory::bytes - 12);
    const std::uintptr_t at = (reinterpret_cast<std::uintptr_t>(memory) + 15) & ~std::uintptr_t{7};
    return *std::launder(reinterpret_cast<Part*>(at));
}

// The memory of an object that was created in the arena.
template <kind k>
struct alignas(8) created : sync_memory {
    static constexpr kind arena_kind = k;
};

// Returns false if the handle cannot be memory of the client: it is in the arena, is a work unit,
// is a small integer, or does not begin like initialised memory.
LAZULT_NOINLINE inline bool may_be_clients_memory(const void* handle, int largest_word) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(handle);
    if (at < 4096 || at % alignof(int) != 0 || arena::is_within(at) ||
        core::is_descriptor(static_cast<const work_unit*>(handle))) {
        return false;
    }
    const int word = *static_cast<const int*>(handle);
    return word >= 0 && word <= largest_word;
}

// Returns nullptr if the handle is not an object of this kind.
template <kind k>
LAZULT_ALWAYS_INLINE sync_memory* checked_memory(handle_of<k> handle, int largest_word) noexcept {
    auto* memory = reinterpret_cast<sync_memory*>(handle);
    if (arena::is_live<k>(handle)) LAZULT_LIKELY {
        return memory;
    }
    return may_be_clients_memory(handle, largest_word) ? memory : nullptr;
}

}  // namespace lazult::abt
