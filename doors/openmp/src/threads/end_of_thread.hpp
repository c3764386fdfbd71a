// SPDX-License-Identifier: BSD-3-Clause
// Hears when an OS thread ends, before the core does: at the end of a thread, destructors run in
// the order in which their keys were made, and these are made as the library is loaded.
#pragma once

#include <pthread.h>

namespace lazult::omp {

class end_of_thread {
public:
    // `leave` is called by the thread with what that has announced.
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
