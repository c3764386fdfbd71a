/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: omp_bench --list | --library | CASE REPETITIONS MIN_MS
 *
 * Prints the nanoseconds of an operation for each repetition, and then how many OS threads an
 * iteration created after the first ones. Exit code 3: a case computed something wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void list(void) {
    for (int i = 0; i < omp_case_count; ++i) {
        printf("%s\t%s\n", omp_cases[i].name, omp_cases[i].operation);
    }
}

static int show_library(void) {
    Dl_info found;
    void* symbol = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
    if (symbol == NULL || dladdr(symbol, &found) == 0) {
        fprintf(stderr, "omp_bench: no OpenMP runtime is loaded\n");
        return 1;
    }
    puts(found.dli_fname);
    return 0;
}

static const struct omp_case* case_named(const char* name) {
    for (int i = 0; i < omp_case_count; ++i) {
        if (strcmp(omp_cases[i].name, name) == 0) {
            return &omp_cases[i];
        }
    }
    return NULL;
}

static double seconds_of(const struct omp_case* what, long iterations) {
    const double start = omp_get_wtime();
    what->run(iterations);
    return omp_get_wtime() - start;
}

/* Twice, for one time may be somebody else's; and never the first time, which creates threads. */
static long iterations_that_last(const struct omp_case* what, double seconds) {
    long iterations = 1;
    what->run(iterations);
    while (seconds_of(what, iterations) < seconds || seconds_of(what, iterations) < seconds) {
        iterations *= 2;
    }
    return iterations;
}

static int measure(const struct omp_case* what, int repetitions, double seconds) {
    const long iterations = iterations_that_last(what, seconds);
    const long before = omp_threads_created();
    for (int i = 0; i < repetitions; ++i) {
        printf("%.3f\n",
               seconds_of(what, iterations) * 1e9 / ((double)iterations * what->per_iteration));
    }
    const long created = omp_threads_created() - before;
    printf("threads %.3f\n", (double)created / ((double)iterations * repetitions));
    return omp_checked == 0 ? 0 : 3;
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--library") == 0) {
        return show_library();
    }
    const struct omp_case* what = argc == 4 ? case_named(argv[1]) : NULL;
    if (what == NULL || atoi(argv[2]) < 1 || atof(argv[3]) <= 0) {
        fprintf(stderr, "usage: omp_bench --list | --library | CASE REPETITIONS MIN_MS\n");
        return 2;
    }
    return measure(what, atoi(argv[2]), atof(argv[3]) / 1e3);
}
