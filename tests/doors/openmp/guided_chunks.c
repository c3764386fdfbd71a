// SPDX-License-Identifier: BSD-3-Clause
// Chunks of guided loops: each is an equal share of the iterations that are left, but not smaller
// than the chunk size. Whichever thread takes it, so the sizes are known. Through each entry point
// that gcc has for these loops.
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "check.h"

bool GOMP_loop_guided_start(long, long, long, long, long*, long*);
bool GOMP_loop_guided_next(long*, long*);
bool GOMP_loop_nonmonotonic_guided_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_guided_next(long*, long*);
bool GOMP_loop_ull_guided_start(bool, unsigned long long, unsigned long long, unsigned long long,
                                unsigned long long, unsigned long long*, unsigned long long*);
bool GOMP_loop_ull_guided_next(unsigned long long*, unsigned long long*);
bool GOMP_loop_ull_nonmonotonic_guided_start(bool, unsigned long long, unsigned long long,
                                             unsigned long long, unsigned long long,
                                             unsigned long long*, unsigned long long*);
bool GOMP_loop_ull_nonmonotonic_guided_next(unsigned long long*, unsigned long long*);
void GOMP_loop_end(void);

enum { COUNT = 10000, SLOTS = COUNT + 1 };

static long length[SLOTS];  // by the first iteration of a chunk

static void expect_shares(long count, long threads, long least) {
    for (long at = 0; at < count;) {
        const long left = count - at;
        long share = (left + threads - 1) / threads;
        share = share < least ? least : share;
        share = share > left ? left : share;
        CHECK(length[at] == share);
        at += share;
    }
    for (long i = 0; i < SLOTS; ++i) {
        length[i] = 0;
    }
}

#define TAKE_ALL(type, start, next)           \
    do {                                      \
        type from;                            \
        type to;                              \
        bool more = start;                    \
        while (more) {                        \
            length[from] = (long)(to - from); \
            more = next(&from, &to);          \
        }                                     \
        GOMP_loop_end();                      \
    } while (0)

static void all_entries(int threads, long count, long least) {
#define EVERY_THREAD(...)                                                   \
    _Pragma("omp parallel num_threads(threads)") { TAKE_ALL(__VA_ARGS__); } \
    expect_shares(count, threads, least)
    EVERY_THREAD(long, GOMP_loop_guided_start(0, count, 1, least, &from, &to),
                 GOMP_loop_guided_next);
    EVERY_THREAD(long, GOMP_loop_nonmonotonic_guided_start(0, count, 1, least, &from, &to),
                 GOMP_loop_nonmonotonic_guided_next);
    EVERY_THREAD(unsigned long long,
                 GOMP_loop_ull_guided_start(true, 0, (unsigned long long)count, 1,
                                            (unsigned long long)least, &from, &to),
                 GOMP_loop_ull_guided_next);
    EVERY_THREAD(unsigned long long,
                 GOMP_loop_ull_nonmonotonic_guided_start(true, 0, (unsigned long long)count, 1,
                                                         (unsigned long long)least, &from, &to),
                 GOMP_loop_ull_nonmonotonic_guided_next);
}

// As a program writes it: the thread that comes first gets a quarter.
static void from_a_program(void) {
    static int by[COUNT];
    int all = 0;
    long first = 1;
#pragma omp parallel for schedule(guided) num_threads(4) reduction(+ : all)
    for (int i = 0; i < COUNT; ++i) {
        by[i] = omp_get_thread_num();
        ++all;
    }
    CHECK(all == COUNT);
    while (first < COUNT && by[first] == by[0]) {
        ++first;
    }
    CHECK(first >= COUNT / 4);
}

int main(void) {
    for (int threads = 2; threads <= 5; ++threads) {
        all_entries(threads, COUNT, 1);
        all_entries(threads, 1000, 7);
        all_entries(threads, 3, 1);
        all_entries(threads, 100, 1000);
    }
    from_a_program();
    return 0;
}
