// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lazult::os {

std::size_t page_size() noexcept;

// Returns zeroed memory, rounded up to whole pages, which the system provides page by page when it
// is touched. `alignment` is a power of two (less than a page counts as a page). Returns nullptr on
// failure. release() it with the same size.
void* reserve(std::size_t bytes, std::size_t alignment) noexcept;
void release(void* address, std::size_t bytes) noexcept;

// Does what reserve() does, at the address `place`, for whole pages. Also returns nullptr if memory
// is mapped there already.
void* reserve_at(std::uintptr_t place, std::size_t bytes) noexcept;

// Reserves addresses without memory. No thread may touch a page before commit(), which is called
// once for each page, on whole pages. On failure these return nullptr and false.
void* reserve_addresses(std::size_t bytes, std::size_t alignment) noexcept;
bool commit(void* address, std::size_t bytes) noexcept;

// Gives the pages back to the system but keeps the addresses, which then read as 0. Returns false
// if the system refuses that: the pages are locked in memory.
bool discard(void* address, std::size_t bytes) noexcept;

// Returns the lowest of these whole pages that was touched since it was reserved or discarded, even
// if it is swapped out now, or `end` if there is none. Returns nothing if the system does not tell.
std::optional<std::byte*> first_touched_page(std::byte* begin, std::byte* end) noexcept;

// Ask the kernel to use huge pages, or not to. Return false if the kernel does not offer that.
bool advise_huge(void* address, std::size_t bytes) noexcept;
bool advise_small(void* address, std::size_t bytes) noexcept;

// Returns the bytes of addresses that ulimit -v leaves; the largest size_t if there is no limit.
std::size_t free_addresses() noexcept;

// Returns the resident memory of this process; 0 if /proc cannot be read.
std::size_t resident_bytes() noexcept;

// Returns how many mappings a process may have (vm.max_map_count); 0 if /proc cannot be read.
std::size_t most_mappings() noexcept;

}  // namespace lazult::os
