// SPDX-License-Identifier: BSD-3-Clause
// A nested region waits for the tasks of its team: for those of each thread, even if the other
// threads have ended, and for those with events that are fulfilled later. The team may have had no
// tasks before, or may have some again.
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"

enum { inner = 8 };

static void without_tasks(void) {
    int visits = 0;
#pragma omp parallel num_threads(inner) reduction(+ : visits)
    ++visits;
    CHECK(visits == inner);
}

// `creators`: a bit for each thread.
static void with_tasks(unsigned creators) {
    int done = 0;
#pragma omp parallel num_threads(inner) shared(done)
    if ((creators >> omp_get_thread_num() & 1) != 0) {
        for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
            {
#pragma omp task shared(done)
                __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
                __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
            }
        }
    }
    CHECK(done == __builtin_popcount(creators) * 20);
}

struct promise {
    omp_event_handle_t event;
    int* kept;
};

static void* keep(void* argument) {
    const struct promise given = *(struct promise*)argument;
    free(argument);
    usleep(2000);
    __atomic_store_n(given.kept, 1, __ATOMIC_RELEASE);
    omp_fulfill_event(given.event);
    return NULL;
}

static void promise_later(omp_event_handle_t event, int* kept) {
    struct promise* given = malloc(sizeof *given);
    pthread_t keeper;
    *given = (struct promise){event, kept};
    CHECK(pthread_create(&keeper, NULL, keep, given) == 0);
    pthread_detach(keeper);
}

static void with_a_late_event(int creator) {
    int kept = 0;
    omp_event_handle_t event;
#pragma omp parallel num_threads(inner) shared(kept, event)
    if (omp_get_thread_num() == creator) {
#pragma omp task detach(event) shared(kept)
        promise_later(event, &kept);
    }
    CHECK(__atomic_load_n(&kept, __ATOMIC_ACQUIRE) == 1);
}

int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
    for (int round = 0; round < 20; ++round) {
        without_tasks();
        with_tasks(1U << round % inner);
        without_tasks();
        with_tasks((unsigned)round * 13 & 0xff);
        with_a_late_event(round % inner);
    }
    return 0;
}
