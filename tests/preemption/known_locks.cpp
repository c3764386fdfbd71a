// SPDX-License-Identifier: BSD-3-Clause
// The C library's mutexes, with a count of those that the running ULT holds. It rises before the
// lock and falls after the unlock, so no signal finds a lock that is not counted.
#include <dlfcn.h>
#include <pthread.h>

#include "tests/preemption/preempter.hpp"

namespace {

using function = int (*)(pthread_mutex_t*);

function original(const char* name) { return reinterpret_cast<function>(dlsym(RTLD_NEXT, name)); }

int take(function lock, pthread_mutex_t* mutex) {
    ++preemption::running_here().locks;
    const int outcome = lock(mutex);
    if (outcome != 0) {
        --preemption::running_here().locks;
    }
    return outcome;
}

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    static const function lock = original("pthread_mutex_lock");
    return take(lock, mutex);
}

extern "C" int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    static const function lock = original("pthread_mutex_trylock");
    return take(lock, mutex);
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    static const function unlock = original("pthread_mutex_unlock");
    const int outcome = unlock(mutex);
    --preemption::running_here().locks;
    return outcome;
}
