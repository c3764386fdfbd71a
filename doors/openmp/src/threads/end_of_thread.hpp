// SPDX-License-Identifier: BSD-3-Clause
// Calls a function when an OS thread ends, before the core cleans up. Destructors of pthread keys
// run in the order of the keys' creation, and these keys are made when the library is loaded.
#pragma once

#include <pthread.h>

namespace lazult::omp {

class end_of_thread {
public:
    // A thread that ends calls `leave` with the pointer that it passed to announce_to().
    explicit end_of_thread(void (*leave)(void*)) noexcept
        : is_there_(::pthread_key_create(&key_, leave) == 0) {}
    void announce_to(void* own) const noexcept {
        if (is_there_) {
            ::pthread_setspecific(key_, own);
        }
    }

private:
    pthread_key_t key_{};
    bool is_there_ = false;
};

}  // namespace lazult::omp
