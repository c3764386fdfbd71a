// SPDX-License-Identifier: BSD-3-Clause
// Where the free stacks wait that no stream's cache has room for. They have no memory but the page of their header, and that only until
// the next housekeeping; they belong to the first cache that needs them. Caches come here for several at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/core/stack.hpp"

namespace lazult::core {

// All of one class; their memory is given back to the system. Empty lists are let be.
void store_stacks(stack_list& free, std::uint8_t size_class) noexcept;
// At most so many, linked through `next`.
stack_list take_stored_stacks(std::uint8_t size_class, std::size_t most) noexcept;
// By any thread, when all is quiet: the stacks here leave their headers' memory to the system too.
void vacate_stored_stacks() noexcept;
// Likewise, and slabs of which all stacks are here leave their addresses. How many stacks are gone.
std::size_t unmap_stored_stacks() noexcept;

// What protects the store, and the records of vacant stacks.
class store_lock {
public:
    store_lock() noexcept;
    ~store_lock();
    store_lock(const store_lock&) = delete;
    store_lock& operator=(const store_lock&) = delete;
};

// By anybody.
std::uint64_t count_stored_stacks() noexcept;

}  // namespace lazult::core
