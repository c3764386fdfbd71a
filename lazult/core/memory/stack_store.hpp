// SPDX-License-Identifier: BSD-3-Clause
// Where the free stacks wait that no stream's cache has room for. They belong to the first cache
// that needs them. Caches come here for several at a time. The stacks keep their memory as long as
// they are needed now and then: housekeeping takes it from those that nobody has needed for a
// second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lazult/core/memory/stack.hpp"
#include "lazult/core/memory/stack_bundles.hpp"
#include "lazult/core/memory/stack_slab.hpp"

namespace lazult::core {

inline constexpr std::size_t most_stored_at_once = stack_bundles::most_in_one;
// All of one class; one at least, and at most most_stored_at_once.
void store_stacks(std::span<stack* const> free, std::uint8_t size_class) noexcept;
// Fills as much of it as it can. How many.
std::size_t take_stored_stacks(std::uint8_t size_class, std::span<stack*> into) noexcept;
// By any thread, when all is quiet: all stacks here leave their memory to the system.
void vacate_stored_stacks() noexcept;
// By any thread, once in a second while there is traffic: as many leave their memory as were always
// here since the last call.
void age_stored_stacks() noexcept;
// As vacate_stored_stacks(), and slabs of which all stacks are here leave their addresses. How many
// stacks are gone.
std::size_t unmap_stored_stacks() noexcept;

struct stack_statistics : slab_statistics {
    std::uint64_t stored;  // of the carved ones: free, and here
};
// By anybody.
stack_statistics count_stacks() noexcept;

}  // namespace lazult::core
