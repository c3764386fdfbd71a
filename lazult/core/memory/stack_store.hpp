// SPDX-License-Identifier: BSD-3-Clause
// The store of the free stacks for which no stream's cache has room. They belong to the first cache
// that needs them. Caches put and take several at a time. The stacks keep their memory as long as
// they are needed now and then: housekeeping takes it from those that nobody has needed for a
// second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lazult/core/memory/stack_bundles.hpp"
#include "lazult/core/memory/stack_slab.hpp"

namespace lazult::core {

inline constexpr std::size_t most_stored_at_once = stack_bundles::most_in_one;
// Puts stacks of one class into the store: at least one, and at most most_stored_at_once.
void store_stacks(std::span<stack* const> free, std::uint8_t size_class) noexcept;
// Takes stacks of a class, as many as there are and `into` takes. Returns how many.
std::size_t take_stored_stacks(std::uint8_t size_class, std::span<stack*> into) noexcept;
// Gives the memory of all stacks here back to the system. Any thread may call it.
void vacate_stored_stacks() noexcept;
// Gives back the memory of as many stacks as were always here since the last call. Any thread may
// call it, once a second while there is traffic.
void age_stored_stacks() noexcept;
// vacate_stored_stacks() that also unmaps the slabs of which all stacks are here. Returns how many
// stacks are gone.
std::size_t unmap_stored_stacks() noexcept;

struct stack_statistics : slab_statistics {
    std::uint64_t stored;  // carved stacks that are free, and here
};
stack_statistics count_stacks() noexcept;

}  // namespace lazult::core
