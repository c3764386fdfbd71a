// SPDX-License-Identifier: BSD-3-Clause
// Cases of the C++ door's load that wait in the kernel: each knows what must come out.
#pragma once

#include <array>

#include "tools/soak/load.hpp"

namespace lazult::soak {

// Bytes of a pattern through pipes, with limits that end calls on their way.
void pipes(load& all, generator& random);
// Clients of an echo server, over local sockets and the loopback.
void echoes(load& all, generator& random);
// Numbered blocks of a file, through the page cache and past it.
void files(load& all, generator& random);
// Waits for several descriptors.
void polls(load& all, generator& random);
// Waits that are ended by a cancellation, a stop, or a time.
void ended_waits(load& all, generator& random);
// Waits that are ended by a close, beside new descriptors of the same numbers.
void closes(load& all, generator& random);

inline constexpr std::array io_cases{pipes, echoes, files, polls, ended_waits, closes};

}  // namespace lazult::soak
