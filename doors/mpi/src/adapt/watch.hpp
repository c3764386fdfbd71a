// SPDX-License-Identifier: BSD-3-Clause
// When polls are made: by a callback of the streams, and by the door's own thread when nobody else
// did for a while. Schedulers of other doors and of users need not poll, and a ULT may compute for
// long while all other streams sleep. While nothing is waited for the thread sleeps: see
// sleep_word.hpp.
#pragma once

#include <cstdint>

namespace lazult::mpi {

// One thread at a time. False: there is no memory for either.
bool start_polling() noexcept;
void stop_polling() noexcept;

// Until no ULT waits for MPI any more. A program may finalize only when its calls have ended; what
// is left are their last steps, or a mistake.
void poll_until_none_waits();

// By the door's own thread.
std::uint64_t polls_of_watch() noexcept;

}  // namespace lazult::mpi
