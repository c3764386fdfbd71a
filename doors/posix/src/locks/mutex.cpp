// SPDX-License-Identifier: BSD-3-Clause
#include "locks/mutex.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "caller/caller.hpp"
#include "locks/take.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

using one_mutex = int(pthread_mutex_t*);
LAZULT_REAL real<one_mutex> real_lock{"pthread_mutex_lock"};
LAZULT_REAL real<one_mutex> real_trylock{"pthread_mutex_trylock"};
LAZULT_REAL real<one_mutex> real_unlock{"pthread_mutex_unlock"};
LAZULT_REAL real<int(pthread_mutex_t*, const timespec*)> real_timedlock{"pthread_mutex_timedlock"};
LAZULT_REAL real<int(pthread_mutex_t*, clockid_t, const timespec*)> real_clocklock{
    "pthread_mutex_clocklock"};

// The kind's bits, as glibc has them: type, robust, priority protocols.
constexpr int type_bits = 3;
constexpr int robust_or_priority = 16 | 32 | 64;
constexpr int shared = 128;

// No thread's number: the kernel has at most 2^22.
constexpr int a_unit = 0x7fffff00;

bool has_owner(const pthread_mutex_t& m) noexcept {
    const int type = m.__data.__kind & type_bits;
    return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
}

bool is_shared(const pthread_mutex_t& m) noexcept { return (m.__data.__kind & shared) != 0; }

bool is_recursive(const pthread_mutex_t& m) noexcept {
    return (m.__data.__kind & type_bits) == PTHREAD_MUTEX_RECURSIVE;
}

// The words in which the C library and this library note the holder. Callers that are not the
// holder may read them while they change: they never find themselves there.
auto owner_of(pthread_mutex_t& m) noexcept { return std::atomic_ref(m.__data.__owner); }
auto unit_of(pthread_mutex_t& m) noexcept { return std::atomic_ref(m.__data.__list.__prev); }

__pthread_internal_list* name_of(core::work_unit& self) noexcept {
    return reinterpret_cast<__pthread_internal_list*>(&self);
}

bool is_held_by_unit(pthread_mutex_t& m) noexcept {
    return owner_of(m).load(std::memory_order_relaxed) == a_unit;  // relaxed: as in is_held_by()
}

bool is_held_by(pthread_mutex_t& m, core::work_unit& self) noexcept {
    // relaxed: only the holder has written its own name there
    return is_held_by_unit(m) && unit_of(m).load(std::memory_order_relaxed) == name_of(self);
}

int lock_again(pthread_mutex_t& m) noexcept {
    if (!is_recursive(m)) {
        return EDEADLK;
    }
    if (m.__data.__count == ~0U) {
        return EAGAIN;
    }
    ++m.__data.__count;
    return 0;
}

// By a ULT that does not hold it yet.
int try_lock_new(core::work_unit& self, pthread_mutex_t* m) noexcept {
    const int result = real_trylock(m);
    if (result == 0 && has_owner(*m)) {
        unit_of(*m).store(name_of(self), std::memory_order_relaxed);
        owner_of(*m).store(a_unit, std::memory_order_relaxed);
    }
    return result;
}

// Gives the mutex to the calling thread, as the C library sees it, so that it can be unlocked.
void give_to_thread(pthread_mutex_t& m) noexcept {
    unit_of(m).store(nullptr, std::memory_order_relaxed);
    owner_of(m).store(::gettid(), std::memory_order_relaxed);
}

// The time counts only if the lock is not free.
int lock_until(core::work_unit& self, pthread_mutex_t* m, clockid_t clock, const timespec& until) {
    const bool is_mine = has_owner(*m) && is_held_by(*m, self);
    const int at_once = is_mine ? lock_again(*m) : try_lock_new(self, m);
    if (at_once != EBUSY) {
        return at_once;
    }
    return is_valid(until) ? lock_as(self, m, deadline_at(clock, until)) : EINVAL;
}

core::work_unit* unit_for(pthread_mutex_t* m, const void* from) noexcept {
    core::work_unit* const self = suspendable(from);
    return self == nullptr || !suits_units(*m) ? nullptr : self;
}

}  // namespace

bool suits_units(const pthread_mutex_t& m) noexcept {
    // A ULT's name means something else in another process.
    return (m.__data.__kind & robust_or_priority) == 0 && !(is_shared(m) && has_owner(m));
}

int try_lock_as(core::work_unit& self, pthread_mutex_t* m) noexcept {
    if (has_owner(*m) && is_held_by(*m, self)) {
        return is_recursive(*m) ? lock_again(*m) : EBUSY;
    }
    return try_lock_new(self, m);
}

int lock_as(core::work_unit& self, pthread_mutex_t* m, std::int64_t deadline_ns) {
    if (has_owner(*m) && is_held_by(*m, self)) {
        return lock_again(*m);
    }
    return take({&self, sync::wait_kind::mutex, m, is_shared(*m)}, deadline_ns,
                [&self, m]() noexcept { return try_lock_new(self, m); });
}

int lock_as_thread(pthread_mutex_t* m) noexcept { return real_lock(m); }
int unlock_as_thread(pthread_mutex_t* m) noexcept { return real_unlock(m); }

int unlock_as(core::work_unit* self, pthread_mutex_t* m) noexcept {
    if (self != nullptr && has_owner(*m) && is_held_by_unit(*m)) {
        if (!is_held_by(*m, *self)) {
            return EPERM;
        }
        if (is_recursive(*m) && m->__data.__count > 1) {
            --m->__data.__count;
            return 0;
        }
        give_to_thread(*m);
    }
    const int result = real_unlock(m);
    if (result == 0) {
        parked.wake_one(m);
    }
    return result;
}

}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
    core::work_unit* const self = unit_for(m, __builtin_return_address(0));
    return self == nullptr ? real_lock(m) : lock_as(*self, m, sync::no_deadline);
}

int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
    core::work_unit* const self = unit_for(m, __builtin_return_address(0));
    return self == nullptr ? real_trylock(m) : try_lock_as(*self, m);
}

int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* until) noexcept {
    core::work_unit* const self = unit_for(m, __builtin_return_address(0));
    return self == nullptr || !is_known_clock(clock) ? real_clocklock(m, clock, until)
                                                     : lock_until(*self, m, clock, *until);
}

int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) noexcept {
    core::work_unit* const self = unit_for(m, __builtin_return_address(0));
    return self == nullptr ? real_timedlock(m, until)
                           : lock_until(*self, m, CLOCK_REALTIME, *until);
}

// For any caller. A library that is left alone may seem to call where the program does, and unlocks
// what a ULT has locked.
int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
    core::work_unit* const self = sync::this_caller<>().unit;
    return unlock_as(self == nullptr || !suits_units(*m) ? nullptr : self, m);
}

}  // extern "C"
