// SPDX-License-Identifier: BSD-3-Clause
// Mutexes, conditions and eventuals live in 64 bytes that a client may have zeroed itself, aligned
// for an int only, or in a slot of the arena; both look alike. So a handle outside the arena is
// taken for such memory unless it cannot be: a wild pointer is not told from a client's mutex, and
// a function that gets one may fault.
//
//   0            a mutex: 1 if it is recursive. Else 0
//   8 or 12      what the object is made of, aligned for a pointer
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

// What the object is made of. All of these are valid when they are all zeros.
template <class Part>
Part& part_in(void* memory) noexcept {
    static_assert(alignof(Part) <= 8 && sizeof(Part) <= sync_memory::bytes - 12);
    const std::uintptr_t at = (reinterpret_cast<std::uintptr_t>(memory) + 15) & ~std::uintptr_t{7};
    return *std::launder(reinterpret_cast<Part*>(at));
}

// An object of the arena of such a kind.
template <kind k>
struct alignas(8) created : sync_memory {
    static constexpr kind arena_kind = k;
};

// Not from the arena, no work unit, not in the page of small integers, and beginning as initialised
// memory does.
LAZULT_NOINLINE inline bool may_be_clients_memory(const void* handle, int largest_word) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(handle);
    if (at < 4096 || at % alignof(int) != 0 || arena::is_within(at) ||
        core::is_descriptor(static_cast<const work_unit*>(handle))) {
        return false;
    }
    const int word = *static_cast<const int*>(handle);
    return word >= 0 && word <= largest_word;
}

// nullptr: not such an object.
template <kind k>
LAZULT_ALWAYS_INLINE sync_memory* checked_memory(handle_of<k> handle, int largest_word) noexcept {
    auto* memory = reinterpret_cast<sync_memory*>(handle);
    if (arena::is_live<k>(handle)) LAZULT_LIKELY {
        return memory;
    }
    return may_be_clients_memory(handle, largest_word) ? memory : nullptr;
}

}  // namespace lazult::abt
