// SPDX-License-Identifier: BSD-3-Clause
// Where execution streams may run.
#pragma once

#include "streams/xstream.hpp"

namespace lazult::abt {

// Notes the CPUs that the process has, before any stream is bound: by ABT_init. False when memory
// is exhausted.
bool remember_cpus() noexcept;
// The CPUs that a stream of this rank gets when all are bound. False when memory is exhausted.
bool choose_default_cpus(int rank, std::vector<int>* cpus) noexcept;

// Whether streams can be bound. Argobots can bind them only if it was configured so, and clients
// take other answers for a wish to have them bound.
bool is_affinity_available() noexcept;
// SUCCESS; SYS, MEM.
int bind_xstream(xstream_object& x, const int* cpus, std::size_t count) noexcept;
// The processors that the program has bound it to, which may include some that are not there; if
// none, those that the process has. SUCCESS; MEM.
int read_cpus(const xstream_object& x, std::vector<int>* cpus) noexcept;

}  // namespace lazult::abt
