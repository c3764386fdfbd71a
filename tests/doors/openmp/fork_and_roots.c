// SPDX-License-Identifier: BSD-3-Clause
// Regions in a child process, and from several threads of the program at once.
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int count_team(void) {
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    {
        ++count;
#pragma omp barrier
    }
    return count;
}

static void* root(void* unused) {
    for (int i = 0; i < 200; ++i) {
        CHECK(count_team() == 3);
    }
    return unused;
}

// ThreadSanitizer does not follow the children of a process with several threads.
#ifdef __SANITIZE_THREAD__
enum { children = 0 };
#else
enum { children = 5 };
#endif

static omp_lock_t gate;

static void* pass(void* unused) {
    omp_set_lock(&gate);
    omp_unset_lock(&gate);
    return unused;
}

// The thread that waited for the lock in the parent does not take the wake-up of the thread that
// waits in the child.
static void unlock_in_child(void) {
    pthread_t waits;
    pthread_attr_t other_stack;  // larger: not the one that the parent's waiter had
    pthread_attr_init(&other_stack);
    pthread_attr_setstacksize(&other_stack, 64 << 20);
    CHECK(pthread_create(&waits, &other_stack, pass, NULL) == 0);
    pthread_attr_destroy(&other_stack);
    usleep(20000);
    alarm(20);
    omp_unset_lock(&gate);
    pthread_join(waits, NULL);
}

static void fork_beside_a_waiter(void) {
    pthread_t waits;
    omp_init_lock(&gate);
    omp_set_lock(&gate);
    CHECK(pthread_create(&waits, NULL, pass, NULL) == 0);
    usleep(20000);
    const pid_t child = fork();
    if (child == 0) {
        unlock_in_child();
        _exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    omp_unset_lock(&gate);
    pthread_join(waits, NULL);
    omp_destroy_lock(&gate);
}

int main(void) {
    CHECK(count_team() == 3);
    if (children != 0) {
        fork_beside_a_waiter();
    }
    for (int i = 0; i < children; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(count_team() == 3 && count_team() == 3 ? 0 : 1);
        }
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    for (int round = 0; round < 3; ++round) {
        pthread_t roots[4];
        for (int i = 0; i < 4; ++i) {
            CHECK(pthread_create(&roots[i], NULL, root, NULL) == 0);
        }
        for (int i = 0; i < 4; ++i) {
            pthread_join(roots[i], NULL);
        }
    }
    CHECK(count_team() == 3);
    return 0;
}
