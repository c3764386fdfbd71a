// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/service_thread.hpp"

#include <new>

#include "lazult/os/thread.hpp"

namespace lazult::os {

signals_blocked::signals_blocked() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

signals_blocked::~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void enter_service(const char* name) noexcept {
    set_thread_name(name);
    try {
        bind_this_thread(allowed_processors());
    } catch (const std::bad_alloc&) {  // then it stays where its maker was
    }
}

}  // namespace lazult::os
