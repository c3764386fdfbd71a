// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/service_thread.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <new>

#include "lazult/os/thread.hpp"

namespace lazult::os {

signals_blocked::signals_blocked() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

signals_blocked::~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

namespace {

// Does not call malloc, which would reserve 64 MiB of addresses for the new thread. Returns false
// if the kernel has more processors than `set` has bits.
bool run_where_process_may() noexcept {
    constexpr std::size_t most = 8192;  // more than any kernel is built for
    alignas(long) std::byte set[most / 8];
    const long bytes = ::syscall(SYS_sched_getaffinity, ::getpid(), sizeof set, set);
    return bytes > 0 && ::syscall(SYS_sched_setaffinity, 0, bytes, set) == 0;
}

}  // namespace

void enter_service(const char* name) noexcept {
    set_thread_name(name);
    if (!run_where_process_may()) {
        // without memory it may run only where its creator may
        base::has_memory_for([] { bind_this_thread(allowed_processors()); });
    }
}

void join_thread(std::thread& t) noexcept {
    ::pthread_join(t.native_handle(), nullptr);
    new (&t) std::thread;  // that thread is no more, and its object must not be joined again
}

}  // namespace lazult::os
