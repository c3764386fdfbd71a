// SPDX-License-Identifier: BSD-3-Clause
#include "teams/os_thread.hpp"

#include <new>

#include "teams/thread_pool.hpp"
#include "threads/end_of_thread.hpp"

namespace lazult::omp {
namespace {

// The objects of OS threads that have ended, for later OS threads. They are not destroyed, because
// records of tasks may point into their memory.
using spare_threads = spare_list<os_thread, &os_thread::next>;

spare_threads& unused_threads() noexcept { return base::the_only<spare_threads>(); }

thread_local os_thread* this_one [[gnu::tls_model("initial-exec")]] = nullptr;

void leave(void* self) {
    auto* gone = static_cast<os_thread*>(self);
    await_helpers(gone->helpers);
    give_back_helpers(gone->helpers);
    gone->helped = nullptr;  // the next helpers may be the same in another order
    if (gone->scheduler != nullptr) {
        if (worker* w = core::this_worker_or_null(); w != nullptr) {
            gone->scheduler->detach(*w);
        }
    }
    this_one = nullptr;
    unused_threads().keep(gone);
}

// Made before the door's other keys, so that leave() runs first: helpers may look at the thread's
// initial task until leave() has awaited them.
[[gnu::init_priority(1000)]] const end_of_thread os_thread_ends(leave);

LAZULT_NOINLINE os_thread& begin_team_thread() {
    os_thread* const found = unused_threads().take();
    os_thread& self = found != nullptr ? *found : *new os_thread;
    if (self.scheduler != nullptr) {
        self.scheduler->attach(core::this_worker());
    }
    this_one = &self;
    os_thread_ends.announce_to(&self);
    return self;
}

}  // namespace

// Not inlined, because a unit may resume on another OS thread, which has another `this_one`.
LAZULT_NOINLINE os_thread& this_os_thread() noexcept {
    os_thread* self = this_one;
    return self != nullptr ? *self : begin_team_thread();
}

void end_helpers(os_thread& self) noexcept {
    end_helpers(self.helpers);
    self.helped = nullptr;
}

void forget_other_threads() noexcept {
    new (&unused_threads()) spare_threads;  // its lock may have been another thread's
    if (this_one != nullptr) {
        this_one->helpers.clear();
        this_one->helped = nullptr;
    }
}

}  // namespace lazult::omp
