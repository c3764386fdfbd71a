// SPDX-License-Identifier: BSD-3-Clause
// Locks for many readers or one writer. The C library notes the OS thread that writes, and takes an
// unlock by another thread for that of a reader. A ULT that writes is noted as no thread, because
// it may move, and so that it deadlocks nobody of its thread. It puts its thread there when it
// unlocks.
#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "caller/caller.hpp"
#include "locks/take.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

using one_lock = int(pthread_rwlock_t*);
using timed_lock = int(pthread_rwlock_t*, const timespec*);
using clock_lock = int(pthread_rwlock_t*, clockid_t, const timespec*);
LAZULT_REAL real<one_lock> real_rdlock{"pthread_rwlock_rdlock"};
LAZULT_REAL real<one_lock> real_wrlock{"pthread_rwlock_wrlock"};
LAZULT_REAL real<one_lock> real_tryrdlock{"pthread_rwlock_tryrdlock"};
LAZULT_REAL real<one_lock> real_trywrlock{"pthread_rwlock_trywrlock"};
LAZULT_REAL real<one_lock> real_rwunlock{"pthread_rwlock_unlock"};
LAZULT_REAL real<timed_lock> real_timedrdlock{"pthread_rwlock_timedrdlock"};
LAZULT_REAL real<timed_lock> real_timedwrlock{"pthread_rwlock_timedwrlock"};
LAZULT_REAL real<clock_lock> real_clockrdlock{"pthread_rwlock_clockrdlock"};
LAZULT_REAL real<clock_lock> real_clockwrlock{"pthread_rwlock_clockwrlock"};

// No thread's number: the kernel has at most 2^22.
constexpr int writing_unit = 0x7fffff00;

int try_it(pthread_rwlock_t* lock, const real<one_lock>& attempt) noexcept {
    const int result = attempt(lock);
    if (result == 0 && &attempt == &real_trywrlock) {
        // relaxed: the holder's own
        std::atomic_ref(lock->__data.__cur_writer).store(writing_unit, std::memory_order_relaxed);
    }
    return result;
}

int take_lock(core::work_unit* self, pthread_rwlock_t* lock, const real<one_lock>& attempt,
              std::int64_t deadline_ns) {
    const wanted what{self, sync::wait_kind::rwlock, lock, lock->__data.__shared != 0};
    return take(what, deadline_ns, [lock, &attempt]() noexcept { return try_it(lock, attempt); });
}

// The time counts only if the lock is not free.
int take_lock(core::work_unit* self, pthread_rwlock_t* lock, const real<one_lock>& attempt,
              clockid_t clock, const timespec& until) {
    const int at_once = try_it(lock, attempt);
    if (at_once != EBUSY) {
        return at_once;
    }
    if (!is_valid(until) || !is_known_clock(clock)) {
        return EINVAL;
    }
    return take_lock(self, lock, attempt, deadline_at(clock, until));
}

// While a reader holds the lock, nobody writes. So if somebody writes, it is the caller.
void write_as_this_thread(pthread_rwlock_t& lock) noexcept {
    // relaxed: it stays as it is while the caller holds the lock
    const std::atomic_ref writer(lock.__data.__cur_writer);
    if (writer.load(std::memory_order_relaxed) != 0) {
        writer.store(::gettid(), std::memory_order_relaxed);
    }
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_rdlock(lock)
                           : take_lock(self, lock, real_tryrdlock, sync::no_deadline);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_wrlock(lock)
                           : take_lock(self, lock, real_trywrlock, sync::no_deadline);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_timedrdlock(lock, until)
                           : take_lock(self, lock, real_tryrdlock, CLOCK_REALTIME, *until);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_timedwrlock(lock, until)
                           : take_lock(self, lock, real_trywrlock, CLOCK_REALTIME, *until);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* until) noexcept {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_clockrdlock(lock, clock, until)
                           : take_lock(self, lock, real_tryrdlock, clock, *until);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* until) noexcept {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_clockwrlock(lock, clock, until)
                           : take_lock(self, lock, real_trywrlock, clock, *until);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
    if (sync::this_caller<>().unit != nullptr) {
        write_as_this_thread(*lock);
    }
    const int result = real_rwunlock(lock);
    if (result == 0) {
        parked.wake_all(lock);
    }
    return result;
}

}  // extern "C"
