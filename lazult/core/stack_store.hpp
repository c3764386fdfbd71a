// SPDX-License-Identifier: BSD-3-Clause
// Where the free stacks wait that no stream's cache has room for. They have no memory but the page of their header, and
// belong to the first cache that needs them. Caches come here for several at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/core/stack.hpp"

namespace lazult::core {

// All of one class; their memory is given back to the system. Empty lists are let be.
void store_stacks(stack_list& free, std::uint8_t size_class) noexcept;
// At most so many, linked through `next`.
stack_list take_stored_stacks(std::uint8_t size_class, std::size_t most) noexcept;
// By anybody.
std::uint64_t count_stored_stacks() noexcept;

}  // namespace lazult::core
