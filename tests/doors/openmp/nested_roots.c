// SPDX-License-Identifier: BSD-3-Clause
// Two threads of the program have regions at once. Nested threads of the one's region may not go to
// the other one's OS threads: those stop running what stands there when their own region ends.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

enum { rounds = 300, barriers = 20 };

static atomic_int done;

static void nest(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(4)
        for (int i = 0; i < barriers; ++i) {
#pragma omp barrier
        }
    }
}

static void* nests(void* unused) {
    omp_set_max_active_levels(2);
    for (int i = 0; i < rounds; ++i) {
        nest();
        atomic_fetch_add(&done, 1);
    }
    return unused;
}

// Its threads wait for each other, with nothing of their own to do; then it forks no more until the
// other one has got on.
static void wait_in_region_once(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        usleep(1000);
    }
}

int main(void) {
    alarm(50);
    pthread_t other;
    CHECK(pthread_create(&other, NULL, nests, NULL) == 0);
    for (int seen = 0; seen < rounds;) {
        wait_in_region_once();
        const int wanted = seen + 5 < rounds ? seen + 5 : rounds;
        while (atomic_load(&done) < wanted) {
            usleep(100);
        }
        seen = atomic_load(&done);
    }
    CHECK(pthread_join(other, NULL) == 0);
    return 0;
}
