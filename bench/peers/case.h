/* SPDX-License-Identifier: BSD-3-Clause */
/* What the drivers of `lazult bench peers` that are written in C or C++ share. Each has the
 * cases of its library, by the names that rows.py knows, and opens as many execution streams
 * (workers, threads) as a case asks for. */
#ifndef BENCH_PEERS_CASE_H
#define BENCH_PEERS_CASE_H

#include "../driver.h"

#include <stddef.h>

struct peers_case {
    const char* name;
    const char* operation; /* what one of those that are counted is */
    int streams;
    long rounds; /* in one repetition */
    double (*run)(long rounds);
};

/* Whether the first of a case's units raises FE_INEXACT. */
#ifdef __cplusplus
inline int raises_inexact = 0;
#else
static int raises_inexact = 0;
#endif

static inline double peers_run(void* context, long rounds) {
    return ((const struct peers_case*)context)->run(rounds);
}

/* `cases` ends with one that has no name (null). Returns what main() returns. */
static inline int peers_main(int argc, char** argv, const struct peers_case* cases,
                             void (*open_streams)(int), void (*close_streams)(void)) {
    struct bench_order order;
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (; cases->name; cases++) printf("%s\t%s\n", cases->name, cases->operation);
        return 0;
    }
    if (!bench_parse(argc, argv, &order)) return 2;
    while (cases->name && strcmp(cases->name, order.name) != 0) cases++;
    if (!cases->name) {
        fprintf(stderr, "%s: there is no case \"%s\"; see %s --list\n", argv[0], order.name,
                argv[0]);
        return 2;
    }
    raises_inexact = order.inexact;
    open_streams(cases->streams);
    bench_measure(&order, cases->rounds, peers_run, (void*)(size_t)cases);
    close_streams();
    return 0;
}

#endif
