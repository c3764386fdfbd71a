// SPDX-License-Identifier: BSD-3-Clause
// The processors on which execution streams may run.
#pragma once

#include "streams/xstream.hpp"

namespace lazult::abt {

// Notes the processors of the process. ABT_init calls it before any stream is bound. Returns false
// when memory is exhausted.
bool remember_cpus() noexcept;
// Chooses the processors of a stream with this rank, for when all streams are bound. Returns false
// when memory is exhausted.
bool choose_default_cpus(int rank, std::vector<int>* cpus) noexcept;

// Returns true if streams may be bound. Argobots can bind them only if it was configured so, and
// clients that find this available bind their streams.
bool is_affinity_available() noexcept;
// Binds a stream; no processors means all processors of the process. Returns SUCCESS, SYS or MEM.
int bind_xstream(xstream_object& x, const int* cpus, std::size_t count) noexcept;
// Gets the processors to which the program has bound the stream; they may include some that do not
// exist. If the stream is not bound, gets those of the process. Returns SUCCESS or MEM.
int read_cpus(const xstream_object& x, std::vector<int>* cpus) noexcept;

}  // namespace lazult::abt
