// SPDX-License-Identifier: BSD-3-Clause
// Repairs the door's state after fork(). The child process has the forking thread only, so the pool
// of helpers and the lists of spare objects are empty there.
#include <pthread.h>

#include "schedulers/unit_scheduler.hpp"
#include "tasks/caller.hpp"
#include "teams/os_thread.hpp"
#include "teams/thread_pool.hpp"
#include "teams/unit_team.hpp"
#include "waiting/crowd.hpp"

namespace lazult::omp {
namespace {

void begin_child() noexcept {
    forget_pool();
    forget_engaged();
    forget_other_threads();
    forget_lockers();
    if (const worker* w = core::this_worker_or_null(); w == nullptr || w->here == nullptr) {
        forget_parked();  // or a waiter that is not there could take a wake-up
    }
    forget_spare_contexts();
    forget_spare_schedulers();
    forget_spare_teams();
}

[[gnu::constructor]] void watch_forks() { ::pthread_atfork(nullptr, nullptr, begin_child); }

}  // namespace
}  // namespace lazult::omp
