// SPDX-License-Identifier: BSD-3-Clause
// Compiles the templates of the small objects once, for the atomics that ship.
#include "lazult/sync/barrier.hpp"
#include "lazult/sync/eventual.hpp"
#include "lazult/sync/future.hpp"
#include "lazult/sync/latch.hpp"
#include "lazult/sync/rwlock.hpp"
#include "lazult/sync/semaphore.hpp"

namespace lazult::sync {

template class basic_barrier<ds::default_atomics>;
template class basic_event_cell<ds::default_atomics>;
template class basic_future<ds::default_atomics>;
template class basic_latch<ds::default_atomics>;
template class basic_rwlock<ds::default_atomics>;
template class basic_rwlock<ds::default_atomics, true>;
template class basic_semaphore<ds::default_atomics>;

}  // namespace lazult::sync
