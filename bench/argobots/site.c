/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

void require(int code, const char* what) {
    if (code != ABT_SUCCESS) {
        fprintf(stderr, "abt_bench: %s failed with code %d\n", what, code);
        exit(1);
    }
}

static void open_private(struct site* site) {
    ABT_sched sched;
    require(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, ABT_TRUE, &site->pools[0]),
            "ABT_pool_create_basic");
    require(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, site->pools, ABT_SCHED_CONFIG_NULL, &sched),
            "ABT_sched_create_basic");
    require(ABT_xstream_set_main_sched(site->streams[0], sched), "ABT_xstream_set_main_sched");
}

static void open_second_default(struct site* site) {
    require(ABT_xstream_create(ABT_SCHED_NULL, &site->streams[1]), "ABT_xstream_create");
    site->stream_count = 2;
}

static void open_lone_stealing(struct site* site) {
    ABT_sched sched;
    require(ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &site->pools[0]),
            "ABT_pool_create_basic");
    require(ABT_sched_create_basic(ABT_SCHED_RANDWS, 1, site->pools, ABT_SCHED_CONFIG_NULL, &sched),
            "ABT_sched_create_basic");
    require(ABT_xstream_set_main_sched(site->streams[0], sched), "ABT_xstream_set_main_sched");
}

/* A ULT that another stream starts must not enter by the private pool. */
static ABT_sched open_private_of(struct site* site, int i) {
    ABT_sched sched;
    ABT_pool both[2];
    require(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, ABT_TRUE, &both[0]),
            "ABT_pool_create_basic");
    require(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &both[1]),
            "ABT_pool_create_basic");
    require(ABT_sched_create_basic(ABT_SCHED_BASIC, 2, both, ABT_SCHED_CONFIG_NULL, &sched),
            "ABT_sched_create_basic");
    site->entrances[i] = both[1];
    return sched;
}

static void open_private_pools(struct site* site) {
    require(ABT_xstream_set_main_sched(site->streams[0], open_private_of(site, 0)),
            "ABT_xstream_set_main_sched");
    require(ABT_xstream_create(open_private_of(site, 1), &site->streams[1]), "ABT_xstream_create");
    site->stream_count = 2;
}

static void open_shared(struct site* site) {
    require(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &site->pools[0]),
            "ABT_pool_create_basic");
    require(ABT_xstream_set_main_sched_basic(site->streams[0], ABT_SCHED_BASIC, 1, site->pools),
            "ABT_xstream_set_main_sched_basic");
    require(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, site->pools, ABT_SCHED_CONFIG_NULL,
                                     &site->streams[1]),
            "ABT_xstream_create_basic");
    site->entrances[1] = site->pools[0];
    site->stream_count = 2;
}

/* Each stream serves its own pool first, and steals from the other's. */
static void open_stealing(struct site* site) {
    ABT_sched scheds[2];
    for (int i = 0; i < 2; i++)
        require(
            ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &site->pools[i]),
            "ABT_pool_create_basic");
    for (int i = 0; i < 2; i++) {
        ABT_pool mine_first[2] = {site->pools[i], site->pools[1 - i]};
        require(ABT_sched_create_basic(ABT_SCHED_RANDWS, 2, mine_first, ABT_SCHED_CONFIG_NULL,
                                       &scheds[i]),
                "ABT_sched_create_basic");
    }
    require(ABT_xstream_set_main_sched(site->streams[0], scheds[0]), "ABT_xstream_set_main_sched");
    require(ABT_xstream_create(scheds[1], &site->streams[1]), "ABT_xstream_create");
    site->stream_count = 2;
}

void open_site(enum place where, struct site* site) {
    require(ABT_init(0, NULL), "ABT_init");
    require(ABT_xstream_self(&site->streams[0]), "ABT_xstream_self");
    site->stream_count = 1;
    if (where == private_pool)
        open_private(site);
    else if (where == two_streams)
        open_second_default(site);
    else if (where == stealing)
        open_stealing(site);
    else if (where == lone_stealing)
        open_lone_stealing(site);
    else if (where == private_pools)
        open_private_pools(site);
    else if (where == shared_pool)
        open_shared(site);
    for (int i = 0; i < site->stream_count; i++)
        require(ABT_xstream_get_main_pools(site->streams[i], 1, &site->pools[i]),
                "ABT_xstream_get_main_pools");
}

void close_site(enum place where, struct site* site) {
    (void)where;
    if (site->stream_count == 2) {
        require(ABT_xstream_join(site->streams[1]), "ABT_xstream_join");
        require(ABT_xstream_free(&site->streams[1]), "ABT_xstream_free");
    }
    require(ABT_finalize(), "ABT_finalize");
}

void run_ults(const struct site* site, int n, void (*body)(void*), void* const* arguments) {
    ABT_thread threads[16];
    for (int i = 0; i < n; i++)
        require(ABT_thread_create(site->pools[i % site->stream_count], body, arguments[i],
                                  ABT_THREAD_ATTR_NULL, &threads[i]),
                "ABT_thread_create");
    for (int i = 0; i < n; i++) require(ABT_thread_free(&threads[i]), "ABT_thread_free");
}
