// SPDX-License-Identifier: BSD-3-Clause
// The slabs that stacks are carved from: reservations of addresses, guards, and what the fault
// handler looks up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lazult/core/memory/stack.hpp"

namespace lazult::core {

// Reserves a slab for stacks of a class. Called by the OS thread that carves them. Returns nullptr
// when memory, or the number of mappings, is exhausted.
stack_slab* reserve_slab(std::uint8_t size_class) noexcept;
// Carves the next stack of a slab that is not used up.
stack* carve_stack(stack_slab& from, stack_cache* owner) noexcept;
// Returns whether all stacks of the slab are carved. Its carver forgets such a slab, which may be
// unmapped when all its stacks are vacant.
bool is_used_up(const stack_slab& s) noexcept;

// Held while vacant stacks, and the store that free ones wait in (stack_store.hpp), are changed.
class slab_lock {
public:
    slab_lock() noexcept;
    ~slab_lock();
    slab_lock(const slab_lock&) = delete;
    slab_lock& operator=(const slab_lock&) = delete;
};

// Guards all existing stacks by the method that the settings name now, if it has changed. Called
// while no stream runs.
void refit_guards() noexcept;

// The next three are for the store, which holds slab_lock meanwhile. A vacant stack has left its
// memory to the system: it is a bit of its slab until it is remade for a cache. Its guard stays.
void vacate_stack(stack& s) noexcept;
// Remakes vacant stacks of a class, as many as there are and `into` takes. Returns how many.
std::size_t remake_stacks(std::uint8_t size_class, std::span<stack*> into) noexcept;
// Unmaps the slabs of which all stacks are vacant. Returns how many stacks are gone.
std::size_t unmap_vacant_slabs() noexcept;

// Finds the stack that has this address in its guard. Returns nullptr if there is none.
// Async-signal-safe.
const stack* stack_with_guard_at(const void* address) noexcept;

struct slab_statistics {
    std::uint64_t slabs;
    std::uint64_t carved;
    std::uint64_t reserved_bytes;
    std::uint64_t guards_by_method[4];
};
slab_statistics count_slabs() noexcept;

}  // namespace lazult::core
