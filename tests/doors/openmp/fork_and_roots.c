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

int main(void) {
    CHECK(count_team() == 3);
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
