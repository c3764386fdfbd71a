/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program of benchmark cases does with its command line. `lazult bench peers` and
 * bench/argobots/compare.py run such programs.
 *
 * PROGRAM CASE [REPETITIONS] [--quick] [--inexact]: nanoseconds per operation, one line per
 * repetition after one that is not counted. --quick: a hundredth of the rounds. --inexact: one unit
 * raises FE_INEXACT, and the others do not.
 * PROGRAM CASE --count ROUNDS: runs so many rounds once, and prints how many operations they were:
 * for callgrind.
 * PROGRAM --list: the cases, and what one operation is. */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bench_order {
    const char* name;
    int repetitions;
    long divisor; /* of the rounds */
    long count;   /* how many rounds are run once, or 0 */
    int inexact;
};

/* Runs so many rounds, and returns how many operations they were. */
typedef double bench_function(void* context, long count);

static inline double bench_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns whether the words make sense; else it has said which do. */
static inline int bench_parse(int argc, char** argv, struct bench_order* order) {
    int good = argc >= 2;
    order->name = good ? argv[1] : "";
    order->repetitions = 5;
    order->divisor = 1;
    order->count = 0;
    order->inexact = 0;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            order->divisor = 100;
        } else if (!strcmp(argv[i], "--inexact")) {
            order->inexact = 1;
        } else if (!strcmp(argv[i], "--count") && i + 1 < argc) {
            order->count = atol(argv[++i]);
            good = good && order->count > 0;
        } else {
            order->repetitions = atoi(argv[i]);
            good = good && order->repetitions > 0;
        }
    }
    if (!good)
        fprintf(stderr,
                "usage: %s CASE [REPETITIONS] [--quick] [--inexact] [--count ROUNDS] | --list\n",
                argv[0]);
    return good;
}

static inline void bench_measure(const struct bench_order* order, long rounds, bench_function* run,
                                 void* context) {
    if (order->count != 0) {
        printf("%.0f\n", run(context, order->count));
        return;
    }
    const long count = rounds > order->divisor ? rounds / order->divisor : 1;
    for (int i = -1; i < order->repetitions; i++) {
        const double begun = bench_now_ns();
        const double operations = run(context, count);
        const double ns = (bench_now_ns() - begun) / operations;
        if (i >= 0) printf("%.3f\n", ns);
    }
}

/* A division that is not exact sets the flag of the thread that makes it. */
static inline void bench_raise_inexact(void) {
    volatile double third = 1.0;
    third = third / 3.0;
}

/* Ends the program where a result is wrong. */
static inline void bench_check(int good, const char* what) {
    if (good) return;
    fprintf(stderr, "the result is wrong: %s\n", what);
    exit(1);
}

#endif
