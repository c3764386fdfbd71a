// SPDX-License-Identifier: BSD-3-Clause
// Helpers go from one team to another of the same OS thread, and to another OS thread: the tasks
// that each team counts are its own.
#include <omp.h>
#include <pthread.h>

#include "check.h"

enum { tasks = 400 };

// All by one thread, for the others to take.
static void make_tasks(int threads) {
    int done = 0;
#pragma omp parallel num_threads(threads)
    {
        for (int i = 0; omp_get_thread_num() == 1 && i < tasks; ++i) {
#pragma omp task shared(done)
            {
                for (volatile int spent = 0; spent < 2000; ++spent) {
                }
#pragma omp atomic
                ++done;
            }
        }
#pragma omp barrier
        CHECK(done == tasks);
    }
}

// Not to be seen by gcc, which leaves empty regions out.
__attribute__((noipa)) static void nothing(void) {}

static void make_none(int threads) {
#pragma omp parallel num_threads(threads)
    nothing();
}

static void teams_inside_one_thread(void) {
#pragma omp parallel num_threads(1)
    make_none(4);
    for (int round = 0; round < 10; ++round) {
        make_tasks(4);
#pragma omp parallel num_threads(1)
        make_tasks(4);
    }
}

static void* leave_helpers(void* unused) {
    make_none(4);
    make_none(3);
    return unused;
}

static void* take_some(void* unused) {
    make_tasks(3);
    return unused;
}

static void run_root(void* (*root)(void*)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, root, NULL) == 0);
    pthread_join(thread, NULL);
}

static void teams_of_threads_that_ended(void) {
    for (int round = 0; round < 10; ++round) {
        run_root(leave_helpers);
        run_root(take_some);
    }
}

static void teams_around_a_pause(void) {
    for (int round = 0; round < 10; ++round) {
        make_tasks(4);
        CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
        make_tasks(3);
    }
}

// A target region in a team is an initial task, but its thread's helpers are busy.
static void no_pause_inside_a_team(void) {
    int refused = 0;
#pragma omp parallel num_threads(3) reduction(+ : refused)
#pragma omp target map(tofrom : refused)
    refused += omp_pause_resource_all(omp_pause_soft) == -1;
    CHECK(refused == 3);
}

int main(void) {
    no_pause_inside_a_team();
    teams_inside_one_thread();
    teams_of_threads_that_ended();
    teams_around_a_pause();
    return 0;
}
