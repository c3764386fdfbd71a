/* SPDX-License-Identifier: BSD-3-Clause */
/* What the cases share. A case does its operations `count` times and returns how many it counts
 * as. */
#ifndef ABT_BENCH_H
#define ABT_BENCH_H

#include <abt.h>
#include <stddef.h>

#include "../driver.h"

/* Where a case's ULTs and tasklets go. */
enum place {
    private_pool,  /* ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, under ABT_SCHED_BASIC */
    default_pool,  /* what ABT_init makes */
    two_streams,   /* two of what ABT_xstream_create makes */
    stealing,      /* two streams under ABT_SCHED_RANDWS with ABT_POOL_RANDWS */
    lone_stealing, /* one such stream */
    private_pools, /* two streams, each with a private pool before one that others may push to */
    shared_pool    /* ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, which two streams serve */
};

struct site {
    int stream_count;
    ABT_xstream streams[2];
    ABT_pool pools[2];     /* the first of each stream */
    ABT_pool entrances[2]; /* of private_pools and shared_pool: where others push */
};

struct bench_case {
    const char* name;
    const char* operation; /* what one of those that are counted is */
    enum place where;
    double count; /* rounds in one measurement */
    double (*run)(const struct site* site, long count);
};

/* Each array ends with a case that has no name (null). */
extern const struct bench_case fork_join_cases[];
extern const struct bench_case switching_cases[];
extern const struct bench_case locking_cases[];
extern const struct bench_case waiting_cases[];
extern const struct bench_case stealing_cases[];
extern const struct bench_case many_cases[];

/* Whether the first of a case's units raises FE_INEXACT. */
extern int raises_inexact;

void require(int code, const char* what);
void open_site(enum place where, struct site* site);
void close_site(enum place where, struct site* site);

/* Runs one ULT for each argument, the i-th in the pool of stream i modulo their number, and
 * waits for them. */
void run_ults(const struct site* site, int n, void (*body)(void*), void* const* arguments);

#endif
