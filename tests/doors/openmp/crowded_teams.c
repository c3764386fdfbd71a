// SPDX-License-Identifier: BSD-3-Clause
// Teams with more OS threads than there are processors, with each way to wait. All threads come to
// run, in whatever order they wait for each other, even by bare loops. What they wait for at
// barriers, and which threads leave early, is as in other teams.
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "with_environment.h"

enum { most = 512 };

static int crowd(void) {
    const int processors = omp_get_num_procs();
    return processors * 4 < processors + 8 ? processors * 4 : processors + 8;
}

static void shuffle(int* order, int size, unsigned* seed) {
    for (int i = size - 1; i > 0; --i) {
        const int other = (int)(rand_r(seed) % (unsigned)(i + 1));
        const int kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

// Each thread waits for the one before it in the order, and lets nobody else have its processor
// meanwhile.
static void in_order(const int* order, int size) {
    int turn = 0;
#pragma omp parallel num_threads(size)
    {
        int mine = 0;
        while (order[mine] != omp_get_thread_num()) {
            ++mine;
        }
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine) {
        }
        __atomic_store_n(&turn, mine + 1, __ATOMIC_RELEASE);
    }
    CHECK(turn == size);
}

static void bare_loops(void) {
    int order[most];
    const int size = crowd() < most ? crowd() : most;
    unsigned seed = 1;
    for (int i = 0; i < size; ++i) {
        order[i] = i;
    }
    in_order(order, size);
    for (int i = 0; i < size; ++i) {
        order[i] = size - 1 - i;
    }
    in_order(order, size);
    for (int round = 0; round < 4; ++round) {
        shuffle(order, size, &seed);
        usleep(round % 2 * 2000);  // long enough to be asleep
        in_order(order, size);
    }
}

static void barriers(void) {
    const int size = crowd();
    int together = 0;
#pragma omp parallel num_threads(size)
    for (int round = 1; round <= 200; ++round) {
#pragma omp atomic
        ++together;
#pragma omp barrier
        CHECK(together == round * size);
#pragma omp barrier
    }
}

static int persistent;
#pragma omp threadprivate(persistent)

static void keeps_threads(void) {
    pthread_t self[most];
    const int size = crowd() < most ? crowd() : most;
#pragma omp parallel num_threads(size)
    {
        persistent = omp_get_thread_num();
        self[omp_get_thread_num()] = pthread_self();
    }
    for (int round = 0; round < 200; ++round) {
#pragma omp parallel num_threads(size)
        CHECK(persistent == omp_get_thread_num() &&
              pthread_equal(self[persistent], pthread_self()));
    }
}

// The outer teams' threads wait for each other by a bare loop, in the middle of inner teams that
// have barriers.
static void nested(void) {
    const int size = crowd();
    for (int round = 0; round < 4; ++round) {
        int inside = 0;
        int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
        {
#pragma omp parallel num_threads(3) reduction(+ : sum)
            {
#pragma omp barrier
#pragma omp master
                {
                    __atomic_fetch_add(&inside, 1, __ATOMIC_ACQ_REL);
                    while (__atomic_load_n(&inside, __ATOMIC_ACQUIRE) != size) {
                    }
                }
#pragma omp barrier
                ++sum;
            }
        }
        CHECK(sum == size * 3);
    }
    for (int round = 0; round < 300; ++round) {
        int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
#pragma omp parallel num_threads(1 + round % 8) reduction(+ : sum)
        ++sum;
        CHECK(sum == size * (1 + round % 8));
    }
}

// The thread that arrives last may lose its processor in the middle, while others run the last task
// and go on to the next barriers.
static void tasks(int rounds, int each) {
    int done = 0;
#pragma omp parallel num_threads(crowd()) shared(done)
    for (int round = 1; round <= rounds; ++round) {
#pragma omp single
        for (int i = 0; i < each; ++i) {
#pragma omp task shared(done)
            __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        }
        CHECK(done == round * each);
#pragma omp barrier
    }
    CHECK(done == rounds * each);
}

static void cancelled(void) {
    for (int round = 0; round < 100; ++round) {
        int left = 0;
#pragma omp parallel num_threads(crowd()) shared(left)
        {
            if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
            }
#pragma omp barrier
            __atomic_fetch_add(&left, 1, __ATOMIC_RELAXED);
        }
        CHECK(left == 0);
    }
}

// ThreadSanitizer does not follow the children of a process with several threads.
#ifndef __SANITIZE_THREAD__
// The leak checker believes that the parent's threads are in the child too, and does not find what
// they held.
static int is_child;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return is_child; }

static void leave_by_a_helper(void) {
#pragma omp parallel num_threads(crowd())
    {
        if (omp_get_thread_num() == 1) {
            exit(7);
        }
#pragma omp barrier
    }
}

static void children(void) {
    for (int round = 0; round < 3; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            is_child = 1;
            barriers();
            leave_by_a_helper();
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
}
#else
static void children(void) {}
#endif

static void* root(void* unused) {
    barriers();
    return unused;
}

// Each team a crowd of its own.
static void several_roots(void) {
    pthread_t roots[3];
    for (int i = 0; i < 3; ++i) {
        CHECK(pthread_create(&roots[i], NULL, root, NULL) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        pthread_join(roots[i], NULL);
    }
}

int main(int count, char** arguments) {
    (void)count;
    start_again_with("OMP_CANCELLATION", "true", arguments);
    omp_set_max_active_levels(2);
    bare_loops();
    barriers();
    keeps_threads();
    nested();
    tasks(20, 100);
    tasks(20000, 4);
    cancelled();
    several_roots();
    children();
    start_again_with("OMP_WAIT_POLICY", "passive", arguments);
    start_again_with("GOMP_SPINCOUNT", "0", arguments);
    return 0;
}
