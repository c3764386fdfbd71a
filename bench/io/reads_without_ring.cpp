// SPDX-License-Identifier: BSD-3-Clause
// Where liburing was not found.
#include "bench/io/random_reads.hpp"
#include "bench/io/system.hpp"

namespace lazult::bench {

void read_by_ring(readers&, std::int64_t) { give_up("--by uring: built without liburing", ENOSYS); }

}  // namespace lazult::bench
