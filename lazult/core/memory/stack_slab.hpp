// SPDX-License-Identifier: BSD-3-Clause
// The slabs that stacks are carved from: reservations of addresses, guards, and what the fault
// handler looks up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lazult/core/memory/stack.hpp"

namespace lazult::core {

// A slab for stacks of a class, by the OS thread that carves them. nullptr when memory, or the
// number of mappings, is exhausted.
stack_slab* reserve_slab(std::uint8_t size_class) noexcept;
// The next stack of a slab that is not used up.
stack* carve_stack(stack_slab& from, stack_cache* owner) noexcept;
// Whether all its stacks are carved. Its carver forgets such a slab, which may be unmapped when all
// its stacks are vacant.
bool is_used_up(const stack_slab& s) noexcept;

// Held while vacant stacks, and the store that free ones wait in (stack_store.hpp), are changed.
class slab_lock {
public:
    slab_lock() noexcept;
    ~slab_lock();
    slab_lock(const slab_lock&) = delete;
    slab_lock& operator=(const slab_lock&) = delete;
};

// Guards all stacks that are there by the method that the settings name now, if they named another
// one before. While no stream runs.
void refit_guards() noexcept;

// The next three are the store's, which holds slab_lock meanwhile. A stack that leaves its memory
// to the system is a bit of its slab's until it is made anew for a cache; its guard stays.
void vacate_stack(stack& s) noexcept;
// Of a class, made of those that were vacated. Fills as much of it as it can. How many.
std::size_t remake_stacks(std::uint8_t size_class, std::span<stack*> into) noexcept;
// Unmaps the slabs of which all stacks are vacant. How many stacks.
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
