// SPDX-License-Identifier: BSD-3-Clause
// Tasks that are created in a nested team while its others are asleep: at the end of the region, or
// at the end of a taskgroup. Somebody runs them, also where their creator does not come to it.
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static void set(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
static int is_set(const int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

// Not for ever: the other one may stand on this very OS thread.
static int comes_soon(const int* flag) {
    for (int i = 0; i < 2000 && !is_set(flag); ++i) {
        usleep(100);
    }
    return is_set(flag);
}

static void await(const int* flag) {
    while (!is_set(flag)) {
        usleep(100);
    }
}

// --- the creator is busy until somebody else has run its task

static pthread_t at_the_end;

static void create_and_be_busy(void) {
    int done = 0;
#pragma omp task shared(done)
    set(&done);
    while (!pthread_equal(at_the_end, pthread_self()) && !is_set(&done)) {
    }
#pragma omp taskwait
    CHECK(done);
}

static void left_to_who_waits_at_the_end(void) {
    int is_there = 0;
#pragma omp parallel num_threads(2) shared(is_there)
    if (omp_get_thread_num() == 0) {
        at_the_end = pthread_self();
        comes_soon(&is_there);
    } else {
        set(&is_there);
        usleep(5000);  // until the other one is asleep
        create_and_be_busy();
    }
}

// --- the last unit of a thread creates one, and ends, for its OS thread has other work

static omp_lock_t of_member, of_task, of_neighbour;
static int begun, has_task, task_waits, member_ended, done;

// For all others, by turns.
static void* hold_locks(void* unused) {
    omp_set_lock(&of_member);
    omp_set_lock(&of_task);
    omp_set_lock(&of_neighbour);
    set(&begun);
    await(&task_waits);
    omp_unset_lock(&of_member);
    await(&member_ended);
    usleep(5000);
    omp_unset_lock(&of_neighbour);
    usleep(5000);
    omp_unset_lock(&of_task);
    return unused;
}

static void pass(omp_lock_t* lock) {
    omp_set_lock(lock);
    omp_unset_lock(lock);
}

static void create_late(void) {
    set(&task_waits);
    omp_set_lock(&of_task);
#pragma omp task
    set(&done);
    omp_unset_lock(&of_task);
}

static void wait_for_group(const int* member_is_there) {
    comes_soon(member_is_there);
#pragma omp taskgroup
    {
#pragma omp task
        create_late();
        set(&has_task);
        comes_soon(&task_waits);
    }
    CHECK(done);
}

static void nested_team(void) {
    int member_is_there = 0;
#pragma omp parallel num_threads(2) shared(member_is_there)
    if (omp_get_thread_num() == 0) {
        wait_for_group(&member_is_there);
    } else {
        set(&member_is_there);
        comes_soon(&has_task);
        pass(&of_member);
        set(&member_ended);
    }
}

static void left_by_a_last_thread(void) {
    pthread_t holder;
    begun = has_task = task_waits = member_ended = done = 0;
    CHECK(pthread_create(&holder, NULL, hold_locks, NULL) == 0);
    await(&begun);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        usleep(5000);
        nested_team();
    } else {
        pass(&of_neighbour);
        pass(&of_task);  // behind the task
    }
    pthread_join(holder, NULL);
}

int main(void) {
    omp_init_lock(&of_member);
    omp_init_lock(&of_task);
    omp_init_lock(&of_neighbour);
    omp_set_max_active_levels(2);
    for (int round = 0; round < 10; ++round) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0) {
            left_to_who_waits_at_the_end();
        }
        left_by_a_last_thread();
    }
    return 0;
}
