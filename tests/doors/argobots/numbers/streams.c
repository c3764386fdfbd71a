/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks, states and numbers of streams, and what binds them. */
#include "numbers.h"

static void* ask_stream_outside(void* unused) {
    (void)unused;
    int rank = -99;
    ABT_xstream x = NULL;
    ABT_bool flag = 99;
    ABT_unit_type type = (ABT_unit_type)99;
    CODE(ABT_xstream_self_rank(&rank), ABT_ERR_INV_XSTREAM);
    IS("the rank after an error", rank, -99);
    CODE(ABT_self_get_xstream_rank(&rank), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_self(&x), ABT_ERR_INV_XSTREAM);
    IS("the stream after an error", x == ABT_XSTREAM_NULL, 1);
    CODE(ABT_self_on_primary_xstream(&flag), ABT_ERR_INV_XSTREAM);
    IS("on the primary stream", flag, 0);
    CODE(ABT_self_get_type(&type), ABT_ERR_INV_XSTREAM);
    IS("the type of an external thread", type, 3);
    CODE(ABT_self_get_last_pool_id(&rank), ABT_ERR_INV_XSTREAM);
    IS("its pool's id", rank, -1);
    CODE(ABT_self_yield(), ABT_ERR_INV_XSTREAM);
    CODE(ABT_thread_yield(), ABT_SUCCESS);
    CODE(ABT_self_suspend(), ABT_ERR_INV_XSTREAM);
    CODE(ABT_self_exit(), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_exit(), ABT_ERR_INV_XSTREAM);
    IS("streams, asked outside", xstreams(), 7);
    return NULL;
}

static void states_of_streams(ABT_xstream x[6]) {
    for (int i = 0; i < 3; ++i) {
        MUST(ABT_xstream_create(ABT_SCHED_NULL, &x[i]));
    }
    IS("first rank", rank_of(x[0]), 1);
    IS("third rank", rank_of(x[2]), 3);
    IS("streams, three more", xstreams(), 4);
    ABT_pool p = ABT_POOL_NULL;
    ABT_xstream_get_main_pools(x[2], 1, &p);
    IS("its pool's id", pool_id(p), 6);
    IS("its pool's access", access_of(p), ABT_POOL_ACCESS_MPMC);
    MUST(ABT_xstream_join(x[1]));
    IS("the state of a joined one", xstream_state(x[1]), ABT_XSTREAM_STATE_TERMINATED);
    IS("streams, one joined", xstreams(), 4);
    IS("the rank of a joined one", rank_of(x[1]), 2);
    CODE(ABT_xstream_join(x[1]), ABT_SUCCESS);
    MUST(ABT_xstream_create(ABT_SCHED_NULL, &x[3]));
    IS("a rank beside a joined one's", rank_of(x[3]), 4);
    MUST(ABT_xstream_revive(x[1]));
    IS("the state of a revived one", xstream_state(x[1]), ABT_XSTREAM_STATE_RUNNING);
    CODE(ABT_xstream_revive(x[1]), ABT_ERR_INV_XSTREAM);
    MUST(ABT_xstream_free(&x[1]));
    IS("a freed one's handle", x[1] == ABT_XSTREAM_NULL, 1);
    CODE(ABT_xstream_free(&x[1]), ABT_ERR_INV_XSTREAM);
    IS("streams, one freed", xstreams(), 4);
    MUST(ABT_xstream_create(ABT_SCHED_NULL, &x[1]));
    IS("the rank of a freed one is given again", rank_of(x[1]), 2);
}

static void ranks_of_streams(ABT_xstream x[6]) {
    CODE(ABT_xstream_set_rank(x[1], 9), ABT_SUCCESS);
    IS("a new rank", rank_of(x[1]), 9);
    CODE(ABT_xstream_set_rank(x[1], 9), ABT_SUCCESS);
    CODE(ABT_xstream_set_rank(x[1], 3), ABT_ERR_INV_XSTREAM_RANK);
    CODE(ABT_xstream_set_rank(x[1], 0), ABT_ERR_INV_XSTREAM_RANK);
    CODE(ABT_xstream_set_rank(x[1], -1), ABT_ERR_INV_XSTREAM_RANK);
    CODE(ABT_xstream_set_rank(x[1], 100000), ABT_SUCCESS);
    IS("a large rank", rank_of(x[1]), 100000);
    CODE(ABT_xstream_set_rank(self(), 5), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_set_rank(self(), 0), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_create_with_rank(ABT_SCHED_NULL, 3, &x[4]), ABT_ERR_INV_XSTREAM_RANK);
    IS("what an error gives", x[4] == ABT_XSTREAM_NULL, 1);
    CODE(ABT_xstream_create_with_rank(ABT_SCHED_NULL, -1, &x[4]), ABT_ERR_INV_XSTREAM_RANK);
    CODE(ABT_xstream_create_with_rank(ABT_SCHED_NULL, 6, &x[4]), ABT_SUCCESS);
    IS("a rank that was asked for", rank_of(x[4]), 6);
    MUST(ABT_xstream_create(ABT_SCHED_NULL, &x[5]));
    IS("the lowest free rank", rank_of(x[5]), 2);
    IS("streams", xstreams(), 7);
}

static void misuse_of_streams(ABT_xstream other) {
    ABT_pool p = main_pool();
    CODE(ABT_xstream_join(self()), ABT_ERR_INV_XSTREAM);
    ABT_xstream primary = self();
    CODE(ABT_xstream_free(&primary), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_cancel(self()), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_revive(self()), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_exit(), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_set_main_sched(other, ABT_SCHED_NULL), ABT_ERR_XSTREAM_STATE);
    CODE(ABT_xstream_set_main_sched_basic(self(), (ABT_sched_predef)5, 1, &p),
         ABT_ERR_INV_SCHED_PREDEF);
    CODE(ABT_xstream_create_basic((ABT_sched_predef)5, 0, NULL, ABT_SCHED_CONFIG_NULL,
                                  &(ABT_xstream){NULL}),
         ABT_ERR_INV_SCHED_PREDEF);
    CODE(ABT_xstream_create_basic(ABT_SCHED_BASIC, -1, &p, ABT_SCHED_CONFIG_NULL,
                                  &(ABT_xstream){NULL}),
         ABT_ERR_INV_ARG);
}

void streams(void) {
    int count = -99;
    CODE(ABT_xstream_get_num(&count), ABT_ERR_UNINITIALIZED);
    IS("streams before", count, -99);
    MUST(ABT_init(0, NULL));
    IS("the primary rank", rank_of(self()), 0);
    IS("its state", xstream_state(self()), ABT_XSTREAM_STATE_RUNNING);
    IS("streams at first", xstreams(), 1);
    ABT_xstream x[6];
    states_of_streams(x);
    ranks_of_streams(x);
    misuse_of_streams(x[0]);
    on_os_thread(ask_stream_outside);
    for (int i = 0; i < 6; ++i) {
        MUST(ABT_xstream_free(&x[i]));
    }
    IS("streams at last", xstreams(), 1);
    ABT_pool p = new_pool();
    IS("a pool after all of them", pool_id(p), 17);
    ABT_pool_free(&p);
    MUST(ABT_finalize());
}

void affinity(void) {
    MUST(ABT_init(0, NULL));
    int cpu = -99;
    int count = -99;
    CODE(ABT_xstream_get_cpubind(self(), &cpu), ABT_ERR_FEATURE_NA);
    CODE(ABT_xstream_set_cpubind(self(), 0), ABT_ERR_FEATURE_NA);
    CODE(ABT_xstream_get_affinity(self(), 1, &cpu, &count), ABT_ERR_FEATURE_NA);
    CODE(ABT_xstream_get_affinity(self(), 0, NULL, &count), ABT_ERR_FEATURE_NA);
    CODE(ABT_xstream_set_affinity(self(), 0, NULL), ABT_ERR_FEATURE_NA);
    CODE(ABT_xstream_get_affinity(self(), -1, &cpu, &count), ABT_ERR_INV_ARG);
    CODE(ABT_xstream_set_affinity(self(), -1, &cpu), ABT_ERR_INV_ARG);
    CODE(ABT_xstream_get_affinity(ABT_XSTREAM_NULL, 1, &cpu, &count), ABT_ERR_INV_XSTREAM);
    CODE(ABT_xstream_get_cpubind(ABT_XSTREAM_NULL, &cpu), ABT_ERR_INV_XSTREAM);
    IS("the processor", cpu, -99);
    IS("the count", count, -99);
    MUST(ABT_finalize());
}
