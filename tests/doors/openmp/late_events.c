// SPDX-License-Identifier: BSD-3-Clause
// Events that another OS thread fulfils late, when all threads sleep. A thread that waits, in
// whatever way, for a task behind such an event is woken to run it.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "check.h"

static void* fulfill_late(void* event) {
    usleep(30000);
    omp_fulfill_event(*(omp_event_handle_t*)event);
    return NULL;
}

static void in_taskgroup(void) {
    omp_event_handle_t event;
    pthread_t other;
    int done = 0;
#pragma omp taskgroup
    {
#pragma omp task detach(event) depend(out : done)
        {
        }
#pragma omp task depend(in : done) shared(done)
        done = 1;
        CHECK(pthread_create(&other, NULL, fulfill_late, &event) == 0);
    }
    CHECK(done == 1);
    pthread_join(other, NULL);
}

static void in_taskwait_on_an_address(void) {
    omp_event_handle_t event;
    pthread_t other;
    int done = 0;
#pragma omp task detach(event) depend(out : done)
    {
    }
#pragma omp task depend(inout : done) shared(done)
    done = 1;
    CHECK(pthread_create(&other, NULL, fulfill_late, &event) == 0);
#pragma omp taskwait depend(in : done)
    CHECK(done == 1);
    pthread_join(other, NULL);
}

static void at_an_undeferred_task(void) {
    omp_event_handle_t event;
    pthread_t other;
    int done = 0;
#pragma omp task detach(event) depend(out : done)
    {
    }
#pragma omp task depend(inout : done) shared(done)
    done = 1;
    CHECK(pthread_create(&other, NULL, fulfill_late, &event) == 0);
#pragma omp task depend(in : done) if (0) shared(done)
    CHECK(done == 1);
    pthread_join(other, NULL);
}

static int ended;
static omp_event_handle_t handed;
static int is_handed;

static void* fulfill_many(void* unused) {
    while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
        sched_yield();
        if (__atomic_load_n(&is_handed, __ATOMIC_ACQUIRE)) {
            const omp_event_handle_t event = handed;
            __atomic_store_n(&is_handed, 0, __ATOMIC_RELEASE);
            for (volatile int i = 0; i < rand() % 400; ++i) {
            }
            omp_fulfill_event(event);
        }
    }
    return unused;
}

static void at_barriers(void) {
    pthread_t other;
    ended = 0;
    CHECK(pthread_create(&other, NULL, fulfill_many, NULL) == 0);
#pragma omp parallel num_threads(1)
    for (int i = 0; i < 2000; ++i) {
        omp_event_handle_t event = 0;
#pragma omp task detach(event)
        __atomic_signal_fence(__ATOMIC_SEQ_CST);  // gcc leaves empty tasks out
        handed = event;
        __atomic_store_n(&is_handed, 1, __ATOMIC_RELEASE);
#pragma omp barrier
        CHECK(!__atomic_load_n(&is_handed, __ATOMIC_ACQUIRE));
    }
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
    pthread_join(other, NULL);
}

int main(void) {
    for (int threads = 1; threads <= 2; ++threads) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            in_taskgroup();
            in_taskwait_on_an_address();
            at_an_undeferred_task();
        }
    }
    at_barriers();
    return 0;
}
