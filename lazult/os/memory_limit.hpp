// SPDX-License-Identifier: BSD-3-Clause
// Which limit it is that leaves no memory: the system says ENOMEM to all of them.
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

// Right after so many bytes could not be had. It reads /proc, allocates nothing, and leaves errno
// alone.
memory_shortage find_memory_shortage(std::size_t bytes) noexcept;

// Right after a thread could not be started. Where memory for its stack is there, the limit is one
// on threads.
memory_shortage find_thread_shortage() noexcept;

}  // namespace lazult::os
