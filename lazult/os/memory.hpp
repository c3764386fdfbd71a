// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::os {

std::size_t page_size() noexcept;

// Zeroed address space that commits on touch, rounded up to whole pages. The alignment is a power
// of two (a smaller one than a page counts as a page). nullptr on failure. Give it back with
// release, of the same size.
void* reserve(std::size_t bytes, std::size_t alignment) noexcept;
void release(void* address, std::size_t bytes) noexcept;

// As reserve(), at this very place, and of whole pages. nullptr also if something is there already.
void* reserve_at(std::uintptr_t place, std::size_t bytes) noexcept;

// Addresses alone, which nobody may touch before commit: of whole pages, once for each page. False
// on failure.
void* reserve_addresses(std::size_t bytes, std::size_t alignment) noexcept;
bool commit(void* address, std::size_t bytes) noexcept;

// Returns the pages to the system and keeps the addresses; what is read there next is 0.
void discard(void* address, std::size_t bytes) noexcept;

// Asks for, or refuses, huge pages. False when the kernel does not offer the choice.
bool advise_huge(void* address, std::size_t bytes) noexcept;
bool advise_small(void* address, std::size_t bytes) noexcept;

// What the limit on addresses (ulimit -v) leaves to this process: of many bytes where there is
// none.
std::size_t free_addresses() noexcept;

// Of this process; 0 when /proc cannot be read.
std::size_t resident_bytes() noexcept;

// How many mappings a process may have (vm.max_map_count); 0 when /proc cannot be read.
std::size_t most_mappings() noexcept;

}  // namespace lazult::os
