/* SPDX-License-Identifier: BSD-3-Clause */
/* abt_bench: cases written to abt.h, with the command line of bench/driver.h.
 * abt_bench --library: the library that it runs over.
 * compare.py runs it over two libraries in turns, and `lazult bench peers` some of its cases. */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct bench_case* const families[] = {fork_join_cases, switching_cases, locking_cases,
                                                    waiting_cases,   stealing_cases,  many_cases};
enum { family_count = sizeof families / sizeof families[0] };

int raises_inexact;

struct opened_case {
    const struct bench_case* what;
    struct site site;
};

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

static double run(void* context, long count) {
    const struct opened_case* opened = context;
    return opened->what->run(&opened->site, count);
}

int main(int argc, char** argv) {
    struct bench_order order;
    struct opened_case opened;
    if (argc == 2 && !strcmp(argv[1], "--list")) return list();
    if (argc == 2 && !strcmp(argv[1], "--library")) return show_library();
    if (!bench_parse(argc, argv, &order)) return 2;
    opened.what = find(order.name);
    if (!opened.what) {
        fprintf(stderr, "abt_bench: there is no case \"%s\"; see abt_bench --list\n", order.name);
        return 2;
    }
    raises_inexact = order.inexact;
    open_site(opened.what->where, &opened.site);
    bench_measure(&order, (long)opened.what->count, run, &opened);
    close_site(opened.what->where, &opened.site);
    return 0;
}
