/* SPDX-License-Identifier: BSD-3-Clause */
/* abt_bench CASE [REPETITIONS]: nanoseconds per operation, one line per repetition after one that is not counted.
 * abt_bench --list: the cases, and what one operation is.   abt_bench --library: the library that it runs over.
 * compare.py runs it over two libraries in turns. */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct bench_case* const families[] = {fork_join_cases, switching_cases, locking_cases,
                                                    waiting_cases, stealing_cases};
enum { family_count = sizeof families / sizeof families[0] };

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int list(void) {
    for (int f = 0; f < family_count; f++)
        for (const struct bench_case* c = families[f]; c->name; c++)
            printf("%s\t%s\n", c->name, c->operation);
    return 0;
}

static int show_library(void) {
    Dl_info info;
    if (!dladdr((void*)ABT_init, &info)) return 1;
    puts(info.dli_fname);
    return 0;
}

static const struct bench_case* find(const char* name) {
    for (int f = 0; f < family_count; f++)
        for (const struct bench_case* c = families[f]; c->name; c++)
            if (!strcmp(c->name, name)) return c;
    return NULL;
}

static void measure(const struct bench_case* c, int repetitions) {
    struct site site;
    open_site(c->where, &site);
    for (int i = -1; i < repetitions; i++) {
        const double begun = now_ns();
        const double operations = c->run(&site, (long)c->count);
        const double ns = (now_ns() - begun) / operations;
        if (i >= 0) printf("%.3f\n", ns);
    }
    close_site(c->where, &site);
}

int main(int argc, char** argv) {
    if (argc == 2 && !strcmp(argv[1], "--list")) return list();
    if (argc == 2 && !strcmp(argv[1], "--library")) return show_library();
    const struct bench_case* c = argc >= 2 ? find(argv[1]) : NULL;
    const int repetitions = argc >= 3 ? atoi(argv[2]) : 5;
    if (!c || repetitions < 1) {
        fprintf(stderr, "usage: abt_bench CASE [REPETITIONS] | --list | --library\n");
        return 2;
    }
    measure(c, repetitions);
    return 0;
}
