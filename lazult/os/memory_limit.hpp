// SPDX-License-Identifier: BSD-3-Clause
// Finds out which limit leaves no memory, because the system reports ENOMEM for all of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::os {

enum class memory_limit : std::uint8_t {
    unknown,
    addresses,
    data,
    mappings,
    commitments,
    control_group
};

struct memory_shortage {
    memory_limit limit = memory_limit::unknown;
    // such as "ulimit -v (RLIMIT_AS) allows 200000 KiB of addresses, 199872 are mapped"
    char text[160] = "";
    const char* cure = "";
};

// Call this right after `bytes` could not be allocated. It reads /proc, allocates nothing, and
// leaves errno as it was.
memory_shortage find_memory_shortage(std::size_t bytes) noexcept;

// Call this right after a thread could not be started. If there is memory for its stack, the limit
// is one on the number of threads.
memory_shortage find_thread_shortage() noexcept;

}  // namespace lazult::os
