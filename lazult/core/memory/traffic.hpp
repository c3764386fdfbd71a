// SPDX-License-Identifier: BSD-3-Clause
// Counts the moves of free memory between the caches of single threads and the stores of all
// threads. Housekeeping gives memory that has not moved for a while back to the system.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::core {

// Called by a store when memory was put there or taken. `bytes`: what the store holds now, or less.
void note_traffic(std::size_t bytes) noexcept;
// Returns a number that changes with the traffic.
std::uint64_t count_traffic() noexcept;

// Registers the function that is called if a store holds much, for the process's life.
using collector = void (*)() noexcept;
void set_collector(collector calls) noexcept;

}  // namespace lazult::core
