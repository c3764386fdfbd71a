// SPDX-License-Identifier: BSD-3-Clause
// Loops with chunks that the threads divide among themselves. Each iteration is run once, by any
// thread. lastprivate variables are those of the last iteration. If a thread's iterations take
// long, others help it.
#include <omp.h>
#include <sched.h>
#include <string.h>

#include "check.h"
#include "with_environment.h"

enum { most = 5000 };

static int hits[most];
static volatile int spent;

static void expect_each_once(int count) {
    for (int i = 0; i < count; ++i) {
        CHECK(hits[i] == 1);
    }
}

static void run(int count, int chunk, int nowait_rounds) {
    long last = -1;
    for (int round = 0; round < nowait_rounds; ++round) {
        memset(hits, 0, sizeof hits);
#pragma omp parallel
        {
#pragma omp for schedule(dynamic, chunk) lastprivate(last) nowait
            for (long i = 0; i < count; ++i) {
#pragma omp atomic
                ++hits[i];
                last = i;
            }
        }
        CHECK(last == count - 1);
        expect_each_once(count);
    }
}

// The first iterations take long: their thread's others are run by the rest of the team.
static void uneven(void) {
    memset(hits, 0, sizeof hits);
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic)
    for (int i = 0; i < most; ++i) {
        if (i == 0) {
            while (__atomic_load_n(&spent, __ATOMIC_RELAXED) < most - 1) {
                sched_yield();  // until the other thread has come and taken all the rest
            }
        }
#pragma omp atomic
        ++hits[i];
        if (i != 0) {
            __atomic_fetch_add(&spent, 1, __ATOMIC_RELAXED);
        }
    }
    expect_each_once(most);
}

static void up_and_down(void) {
    memset(hits, 0, sizeof hits);
#pragma omp parallel
    for (int round = 0; round < 20; ++round) {
#pragma omp for schedule(dynamic, 2)
        for (int i = most - 1; i >= 0; i -= 3) {
#pragma omp atomic
            ++hits[i];
        }
#pragma omp for schedule(nonmonotonic : dynamic)
        for (unsigned long long i = 0; i < most; i += 7) {
#pragma omp atomic
            ++hits[i];
        }
    }
    for (int i = 0; i < most; ++i) {
        CHECK(hits[i] == 20 * (((most - 1 - i) % 3 == 0) + (i % 7 == 0)));
    }
}

static void a_cancelled_one_before(void) {
#pragma omp parallel
    for (int round = 0; round < 40; ++round) {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < most; ++i) {
            if (i == round) {
#pragma omp cancel for
            }
        }
    }
    run(most, 1, 3);
}

// More of them than threads have words for; and short ones, of which some are too short to be
// divided.
static void no_barrier_between(int count) {
    enum { loops = 11 };
    static int of_loop[loops][most];
    memset(of_loop, 0, sizeof of_loop);
#pragma omp parallel
    {
        for (int loop = 0; loop < loops; ++loop) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < count; ++i) {
                __atomic_fetch_add(&of_loop[loop][i], 1, __ATOMIC_RELAXED);
            }
        }
#pragma omp barrier
        for (int loop = 0; loop < loops; ++loop) {
#pragma omp for schedule(guided) nowait
            for (int i = 0; i < count; ++i) {
                __atomic_fetch_add(&of_loop[loop][i], 1, __ATOMIC_RELAXED);
            }
        }
    }
    for (int loop = 0; loop < loops; ++loop) {
        for (int i = 0; i < count; ++i) {
            CHECK(of_loop[loop][i] == 2);
        }
    }
}

// Threads that leave a region early have entered fewer loops than others.
static void a_cancelled_region_before(void) {
    for (int round = 0; round < 40; ++round) {
#pragma omp parallel
        for (int loop = 0; loop < 5; ++loop) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 100; ++i) {
                __atomic_fetch_add(&spent, 1, __ATOMIC_RELAXED);
            }
            if (loop == round % 5 && omp_get_thread_num() == round % 2) {
#pragma omp cancel parallel
            }
#pragma omp cancellation point parallel
        }
        run(40 + round, 1, 1);
        no_barrier_between(20 + round);
    }
}

static void combined(int count) {
    memset(hits, 0, sizeof hits);
    long last = -1;
#pragma omp parallel for schedule(guided, 2) lastprivate(last)
    for (int i = 0; i < count; ++i) {
        __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
        last = i;
    }
    CHECK(last == count - 1);
    expect_each_once(count);
    memset(hits, 0, sizeof hits);
    omp_set_schedule(omp_sched_dynamic, 1);
#pragma omp parallel
    for (int round = 0; round < 7; ++round) {
#pragma omp for schedule(runtime) nowait
        for (int i = round; i < count; i += 7) {
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
        }
    }
    expect_each_once(count);
}

int main(int argc, char** argv) {
    (void)argc;
    start_again_with("OMP_CANCELLATION", "true", argv);
    for (int count = 1; count <= most; count = count * 3 + 1) {
        run(count, 1, 5);
        run(count, 3, 5);
        no_barrier_between(count);
        combined(count);
    }
    run(most, 7, 20);
    uneven();
    up_and_down();
    a_cancelled_one_before();
    a_cancelled_region_before();
    return 0;
}
