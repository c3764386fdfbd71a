// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

// A sanitizer stands before pthread_create itself.
#if defined(__has_feature)
#define MPI_CASES_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MPI_CASES_SANITIZED 1
#else
#define MPI_CASES_SANITIZED 0
#endif

namespace {

std::atomic<bool> refuses_threads{false};
std::atomic<int> refused{0};

}  // namespace

#if !MPI_CASES_SANITIZED
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) noexcept {
    using creation = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    if (refuses_threads) {
        refused.fetch_add(1);
        return EAGAIN;
    }
    static const auto real = reinterpret_cast<creation>(dlsym(RTLD_NEXT, "pthread_create"));
    return real(thread, attributes, run, argument);
}
#endif

namespace mpi_cases {

// A call waits for a helper that was not to be had. When one is again, it and later calls get
// theirs: the first one, which keeps the only thread, ends after the last one.
void helpers_that_were_refused() {
    MPI_Comm comms[3];
    for (MPI_Comm& each : comms) {
        MPI_Comm_dup(MPI_COMM_WORLD, &each);
    }
    const auto split = [&](int which) {
        MPI_Comm made = MPI_COMM_NULL;
        check_equal(MPI_Comm_split(comms[which], 0, rank(), &made), MPI_SUCCESS, "a split");
        MPI_Comm_free(&made);
    };
    if (rank() != 0) {
        for (const int which : {1, 2, 0}) {
            split(which);
        }
    } else {
        lazult::task_group all;
        all.run([&] {
            std::atomic<int> begun{0};
            lazult::task_group calls;
            for (int which = 0; which < 3; ++which) {
                calls.run([&, which] {
                    begun = which + 1;
                    split(which);
                });
                // Booked before the next one: a unit on this stream runs until it suspends.
                while (begun != which + 1) {
                    lazult::this_thread::yield();
                }
                refuses_threads = which == 0;
            }
            calls.wait();
        });
        all.wait();
        check(MPI_CASES_SANITIZED || refused.load() != 0, "a thread was refused");
    }
    for (MPI_Comm& each : comms) {
        MPI_Comm_free(&each);
    }
}

}  // namespace mpi_cases
