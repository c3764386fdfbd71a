// SPDX-License-Identifier: BSD-3-Clause
// Condition variables. The C library unlocks the mutex inside pthread_cond_wait(), where this
// library cannot see it, and ULTs that wait for the mutex would not be woken. So OS threads, too,
// wait in a queue of this library. A signal that finds nobody there goes to the C library, where
// those wait that are left alone.
//
// Condition variables of several processes are the C library's alone, and block the thread.
#include <pthread.h>

#include "caller/caller.hpp"
#include "locks/mutex.hpp"
#include "locks/times.hpp"
#include "parking/parking.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

using one_condition = int(pthread_cond_t*);
LAZULT_REAL real<one_condition> real_signal{"pthread_cond_signal"};
LAZULT_REAL real<one_condition> real_broadcast{"pthread_cond_broadcast"};
LAZULT_REAL real<int(pthread_cond_t*, pthread_mutex_t*)> real_condwait{"pthread_cond_wait"};
LAZULT_REAL real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real_condtimedwait{
    "pthread_cond_timedwait"};
LAZULT_REAL real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>
    real_condclockwait{"pthread_cond_clockwait"};

// Bits of glibc's __wrefs.
bool is_shared_condition(const pthread_cond_t& c) noexcept { return (c.__data.__wrefs & 1) != 0; }
clockid_t clock_of(const pthread_cond_t& c) noexcept {
    return (c.__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

bool is_ours(const pthread_cond_t* c, const pthread_mutex_t* m, const void* from) noexcept {
    return !is_shared_condition(*c) && suits_units(*m) && !is_left_alone(from);
}

void lock_after_wait(core::work_unit* self, pthread_mutex_t* m) {
    if (self == nullptr) {
        lock_as_thread(m);
    } else {
        lock_as(*self, m, sync::no_deadline);
    }
}

int wait_until(pthread_cond_t* c, pthread_mutex_t* m, std::int64_t deadline_ns) {
    core::work_unit* const self = calling_unit();
    int unlocked = 0;
    sync::waiter<> me(self, sync::wait_kind::condition, c);
    const auto unlock = [&unlocked, self, m]() noexcept {
        unlocked = unlock_as(self, m);
        return unlocked != 0;
    };
    const base::status end = parked_at_conditions.wait_without_barrier(me, deadline_ns, unlock);
    if (unlocked != 0) {
        return unlocked;  // the caller does not hold the mutex
    }
    lock_after_wait(self, m);
    return end == base::status::timed_out ? ETIMEDOUT : 0;
}

int wait_until(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec& until) {
    if (!is_valid(until) || !is_known_clock(clock)) {
        return EINVAL;
    }
    return wait_until(c, m, deadline_at(clock, until));
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
    return is_ours(c, m, __builtin_return_address(0)) ? wait_until(c, m, sync::no_deadline)
                                                      : real_condwait(c, m);
}

int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until) {
    return is_ours(c, m, __builtin_return_address(0)) ? wait_until(c, m, clock_of(*c), *until)
                                                      : real_condtimedwait(c, m, until);
}

int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock,
                           const timespec* until) {
    return is_ours(c, m, __builtin_return_address(0)) ? wait_until(c, m, clock, *until)
                                                      : real_condclockwait(c, m, clock, until);
}

int pthread_cond_signal(pthread_cond_t* c) noexcept {
    return parked_at_conditions.wake_one(c) ? 0 : real_signal(c);
}

int pthread_cond_broadcast(pthread_cond_t* c) noexcept {
    parked_at_conditions.wake_all(c);
    return real_broadcast(c);
}

}  // extern "C"
