// SPDX-License-Identifier: BSD-3-Clause
// Threads keep plain tasks without records. In larger teams they do so once their queue holds
// enough for others. Tasks see the same in both, do not keep their creator waiting where they
// block, and other threads get their share of them. What they cost is in kept_cost.c.
#include <omp.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { MANY = 1500 };
static volatile int no = 0;

// What it sets between two tasks is for the later one, and what a task sets is for no other one.
static void own_variables(void) {
    int wrong = 0;
    const int before = omp_get_max_threads();
    for (int i = 0; i < MANY; ++i) {
        const int expected = 1 + i % 7;
        omp_set_num_threads(expected);
#pragma omp task shared(wrong) firstprivate(expected)
        {
            if (omp_get_max_threads() != expected) {
#pragma omp atomic
                ++wrong;
            }
            omp_set_num_threads(9);
        }
    }
    omp_set_num_threads(before);
#pragma omp taskwait
    CHECK(wrong == 0);
}

static long kilobytes_of_addresses(void) {
    FILE* const status = fopen("/proc/self/status", "r");
    CHECK(status != NULL);
    char line[200];
    long size = 0;
    while (size == 0 && fgets(line, sizeof line, status) != NULL) {
        sscanf(line, "VmSize: %ld", &size);
    }
    fclose(status);
    return size;
}

// All wait for their creator, or for each other. They are few units: a stack for each would be 8
// MiB of addresses.
static void blocked_ones(int many) {
    omp_lock_t lock;
    int count = 0;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    const long before = kilobytes_of_addresses();
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(lock, count)
        {
            omp_set_lock(&lock);
            ++count;
            omp_unset_lock(&lock);
        }
    }
    CHECK(kilobytes_of_addresses() - before < 10L << 20);
    omp_unset_lock(&lock);
#pragma omp taskwait
    CHECK(count == many);
    omp_destroy_lock(&lock);
}

// Nobody waits for them but the group.
static void left(int depth, int* count) {
    for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(depth)
        {
#pragma omp atomic
            ++*count;
            if (depth > 0) {
                left(depth - 1, count);
            }
        }
    }
}

// Those of the first task may run until the region ends.
static void left_ones(int* outside) {
    int inside = 0;
#pragma omp task
    left(6, outside);
#pragma omp taskgroup
    {
#pragma omp task if (no) shared(inside)
        left(6, &inside);
    }
    CHECK(inside == 3279);  // 3 + 9 + ... + 3^7
}

// More wait than a thread keeps.
static long chain(int depth) {
    long below[3] = {0};
    for (int i = 0; i < 3; ++i) {
#pragma omp task shared(below) firstprivate(i, depth)
        below[i] = i == 2 && depth > 0 ? chain(depth - 1) : 1;
    }
#pragma omp taskwait
    return below[0] + below[1] + below[2];
}

// What one thread keeps, the others get when they need it. A task sleeps, so that threads share few
// processors well.
static void shares(int threads) {
    int by_creator = 0;
    const int creator = omp_get_thread_num();
    for (int i = 0; i < 500; ++i) {
#pragma omp task shared(by_creator)
        {
            const struct timespec millisecond = {0, 1000000};
            nanosleep(&millisecond, NULL);
            if (omp_get_thread_num() == creator) {
#pragma omp atomic
                ++by_creator;
            }
        }
    }
#pragma omp taskwait
    CHECK(threads > 1 || by_creator == 500);
    CHECK(threads < 4 || by_creator < 200);
}

// A creator that is not deep may look for their ends without a word to the runtime. Others run them
// then.
static void poll_for(int threads) {
    int done = 0;
    for (int i = 0; i < 1000; ++i) {
#pragma omp task shared(done)
        {
#pragma omp atomic
            ++done;
        }
    }
    for (int seen = 0, looks = 0; threads > 1 && seen < 1000; ++looks) {
        const struct timespec millisecond = {0, 1000000};
        nanosleep(&millisecond, NULL);
        CHECK(looks < 20000);
#pragma omp atomic read
        seen = done;
    }
#pragma omp taskwait
    CHECK(done == 1000);
}

#define CHECK_SIZE(bytes)                                                   \
    do {                                                                    \
        struct {                                                            \
            unsigned char at[bytes];                                        \
        } given;                                                            \
        int wrong = 0;                                                      \
        for (int i = 0; i < 100; ++i) {                                     \
            memset(given.at, i, sizeof given.at);                           \
            given.at[0] = 255;                                              \
            given.at[(bytes) - 1] = 254;                                    \
            _Pragma("omp task firstprivate(given, i) shared(wrong)") {      \
                int is_right = given.at[(bytes) - 1] == 254;                \
                for (int k = 1; k + 1 < (bytes); ++k) {                     \
                    is_right = is_right && given.at[k] == (unsigned char)i; \
                }                                                           \
                if (!is_right) {                                            \
                    _Pragma("omp atomic")++ wrong;                          \
                }                                                           \
            }                                                               \
        }                                                                   \
        _Pragma("omp taskwait") CHECK(wrong == 0);                          \
    } while (0)

static void sizes(void) {
    CHECK_SIZE(2);
    CHECK_SIZE(5);
    CHECK_SIZE(8);
    CHECK_SIZE(13);
    CHECK_SIZE(19);
    CHECK_SIZE(27);
    CHECK_SIZE(31);
    CHECK_SIZE(36);
    CHECK_SIZE(37);
    CHECK_SIZE(64);
    CHECK_SIZE(200);
}

static void use_tasks(int threads) {
    own_variables();
    blocked_ones(threads == 1 ? 20000 : MANY);
    CHECK(chain(3000) == 2 * 3001 + 1);
    sizes();
    shares(threads);
}

// Threads of larger teams keep tasks of creators that are so deep.
static void use_tasks_below(int levels, int threads) {
    if (levels == 0) {
        use_tasks(threads);
        return;
    }
#pragma omp task if (no)
    use_tasks_below(levels - 1, threads);
}

int main(void) {
    for (int threads = 1; threads <= 4; threads *= 2) {
        int left_outside = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            use_tasks(threads);
            left_ones(&left_outside);
            use_tasks_below(4, threads);
            poll_for(threads);
        }
        CHECK(left_outside == 3279);
    }
    return 0;
}
