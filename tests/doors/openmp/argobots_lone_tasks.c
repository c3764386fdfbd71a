// SPDX-License-Identifier: BSD-3-Clause
// Tasks of a team of one thread that wait by Argobots' calls: the creator goes on, and ends their
// wait.
#include <abt.h>
#include <omp.h>

#include "check.h"

enum { many = 300 };

static void wait_for_creator(void) {
    ABT_eventual gate;
    ABT_mutex mutex;
    int done = 0;
    CHECK(ABT_eventual_create(0, &gate) == ABT_SUCCESS);
    CHECK(ABT_mutex_create(&mutex) == ABT_SUCCESS);
    CHECK(ABT_mutex_lock(mutex) == ABT_SUCCESS);
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(gate, mutex, done) firstprivate(i)
        {
            if (i % 2 == 0) {
                CHECK(ABT_eventual_wait(gate, NULL) == ABT_SUCCESS);
            }
            CHECK(ABT_mutex_lock(mutex) == ABT_SUCCESS);
            ++done;
            CHECK(ABT_mutex_unlock(mutex) == ABT_SUCCESS);
        }
    }
    CHECK(done == 0);
    CHECK(ABT_eventual_set(gate, NULL, 0) == ABT_SUCCESS);
    CHECK(ABT_mutex_unlock(mutex) == ABT_SUCCESS);
#pragma omp taskwait
    CHECK(done == many);
    CHECK(ABT_mutex_free(&mutex) == ABT_SUCCESS);
    CHECK(ABT_eventual_free(&gate) == ABT_SUCCESS);
}

static void in_region(void* nothing) {
    (void)nothing;
#pragma omp parallel num_threads(1)
    wait_for_creator();
}

int main(int argc, char** argv) {
    CHECK(ABT_init(argc, argv) == ABT_SUCCESS);
    for (int round = 0; round < 3; ++round) {
        in_region(NULL);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(1)
        wait_for_creator();
    }
    CHECK(ABT_finalize() == ABT_SUCCESS);
    return 0;
}
