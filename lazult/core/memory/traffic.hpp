// SPDX-License-Identifier: BSD-3-Clause
// How much memory moves between caches of one thread and stores of all. Housekeeping looks at it:
// what nobody has used for a while goes back to the system.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::core {

// By the stores: something was taken or put there, which has so many bytes of memory now, or more.
void note_traffic(std::size_t bytes) noexcept;
// Changes with the traffic.
std::uint64_t count_traffic() noexcept;

// Called where the stores hold much. For the process's life.
using collector = void (*)() noexcept;
void set_collector(collector calls) noexcept;

}  // namespace lazult::core
