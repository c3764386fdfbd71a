// SPDX-License-Identifier: BSD-3-Clause
// Argobots ULTs use OpenMP: their teams run on the execution streams that there are, and tasks that
// wait for an eventual of Argobots block nobody.
#include <abt.h>
#include <omp.h>

#include "check.h"
#include "tests/support/os_threads.h"

enum { streams = 2, units = 12, tasks = 60 };

// The task in the middle lets all others go on, and there are more of them than threads.
static void block_all(int threads) {
    ABT_eventual gate;
    int passed = 0;
    CHECK(ABT_eventual_create(0, &gate) == ABT_SUCCESS);
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(gate, passed)
        {
            if (i == tasks / 2) {
                CHECK(ABT_eventual_set(gate, NULL, 0) == ABT_SUCCESS);
            }
            CHECK(ABT_eventual_wait(gate, NULL) == ABT_SUCCESS);
#pragma omp atomic
            ++passed;
        }
    }
    CHECK(passed == tasks);
    ABT_eventual_free(&gate);
}

static void kernel(void* argument) {
    const int size = 1 + *(const int*)argument % 4;
    for (int round = 0; round < 5; ++round) {
        int together = 0;
#pragma omp parallel num_threads(size)
        {
            CHECK(omp_get_num_threads() == size);
#pragma omp atomic
            ++together;
            ABT_thread_yield();
#pragma omp barrier
            CHECK(together == size);
        }
        ABT_thread_yield();
        block_all(size);
    }
}

static void run_units(ABT_pool pool) {
    ABT_thread all[units];
    int numbers[units];
    for (int i = 0; i < units; ++i) {
        numbers[i] = i;
        CHECK(ABT_thread_create(pool, kernel, &numbers[i], ABT_THREAD_ATTR_NULL, &all[i]) ==
              ABT_SUCCESS);
    }
    for (int i = 0; i < units; ++i) {
        CHECK(ABT_thread_free(&all[i]) == ABT_SUCCESS);
    }
}

int main(int argc, char** argv) {
    block_all(3);  // before Argobots is there, by OS threads
    CHECK(ABT_init(argc, argv) == ABT_SUCCESS);
    ABT_pool shared;
    CHECK(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &shared) ==
          ABT_SUCCESS);
    ABT_xstream others[streams];
    for (int i = 0; i < streams; ++i) {
        CHECK(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &shared, ABT_SCHED_CONFIG_NULL,
                                       &others[i]) == ABT_SUCCESS);
    }
    const int before = os_threads();
    for (int round = 0; round < 3; ++round) {
        run_units(shared);
    }
    ABT_pool own;
    ABT_xstream self;
    CHECK(ABT_xstream_self(&self) == ABT_SUCCESS);
    CHECK(ABT_xstream_get_main_pools(self, 1, &own) == ABT_SUCCESS);
    run_units(own);
    int number = 2;
    kernel(&number);
    CHECK(os_threads_are(before));
    for (int i = 0; i < streams; ++i) {
        CHECK(ABT_xstream_free(&others[i]) == ABT_SUCCESS);
    }
    CHECK(ABT_finalize() == ABT_SUCCESS);
    return 0;
}
