// SPDX-License-Identifier: BSD-3-Clause
// Has polls made: by an event callback on the streams, and by the door's own thread if no stream
// has polled for a while. The thread is needed because schedulers of other doors and of users need
// not poll, and because a ULT may compute for long while all other streams sleep. The thread sleeps
// while no ULT waits for MPI: see sleep_word.hpp.
#pragma once

#include <cstdint>

namespace lazult::mpi {

// Begins to poll. Returns false if there was memory neither for the callback nor for the thread.
// One thread at a time calls start_polling() or stop_polling().
bool start_polling() noexcept;
void stop_polling() noexcept;

// Polls until no ULT waits for MPI. A correct program finalizes MPI only when its calls have ended,
// so only the last steps of these calls are left. If waits last long, prints a warning.
void poll_until_none_waits();

// Returns how many polls the door's own thread made.
std::uint64_t polls_of_watch() noexcept;

}  // namespace lazult::mpi
