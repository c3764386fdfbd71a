/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedulers, of the library and of the program. */
#include "numbers.h"

static ABT_thread scheduler_unit;
static int scheduler_asks;
static void run_sched(ABT_sched s) {
    ABT_pool pool = ABT_POOL_NULL;
    ABT_sched_get_pools(s, 1, 0, &pool);
    scheduler_unit = current_unit();
    if (scheduler_asks) {
        ABT_unit_type type = ABT_UNIT_TYPE_EXT;
        ABT_bool stop = 99;
        int last = -99;
        IS("a main scheduler's id", own_id(), 0);
        IS("its state", state_of(scheduler_unit), ABT_THREAD_STATE_RUNNING);
        IS("its stack", stack_size_of(scheduler_unit), 4194304);
        CODE(ABT_self_get_type(&type), ABT_SUCCESS);
        IS("its type", type, 0);
        CODE(ABT_self_is_unnamed(&stop), ABT_SUCCESS);
        IS("it is unnamed", stop, 0);
        CODE(ABT_self_get_last_pool_id(&last), ABT_SUCCESS);
        IS("its pool's id", last, 3);
        CODE(ABT_thread_join(scheduler_unit), ABT_ERR_INV_THREAD);
        CODE(ABT_thread_free(&scheduler_unit), ABT_ERR_INV_THREAD);
        CODE(ABT_self_yield_to(scheduler_unit), ABT_ERR_INV_THREAD);
        CODE(ABT_thread_yield_to(scheduler_unit), ABT_ERR_INV_THREAD);
        CODE(ABT_sched_has_to_stop(s, &stop), ABT_SUCCESS);
        IS("has to stop", stop, 0);
        CODE(ABT_xstream_check_events(ABT_SCHED_NULL), ABT_ERR_INV_SCHED);
        scheduler_asks = 0;
    }
    for (ABT_bool stop = ABT_FALSE; !stop; ABT_sched_has_to_stop(s, &stop)) {
        ABT_thread t = ABT_THREAD_NULL;
        ABT_pool_pop_thread(pool, &t);
        if (t != ABT_THREAD_NULL) {
            ABT_self_schedule(t, ABT_POOL_NULL);
        }
        ABT_xstream_check_events(s);
    }
}
static ABT_sched_def sched_def = {ABT_SCHED_TYPE_ULT, NULL, run_sched, NULL, NULL};

static int pools_of(ABT_sched s) {
    int count = -99;
    ABT_sched_get_num_pools(s, &count);
    return count;
}
static ABT_sched predefined(ABT_sched_predef predef) {
    ABT_sched s = ABT_SCHED_NULL;
    ABT_sched_create_basic(predef, 0, NULL, ABT_SCHED_CONFIG_NULL, &s);
    return s;
}
static ABT_pool pool_of(ABT_sched s, int index) {
    ABT_pool p = ABT_POOL_NULL;
    ABT_sched_get_pools(s, 1, index, &p);
    return p;
}

static void predefined_schedulers(void) {
    ABT_sched s = predefined(ABT_SCHED_DEFAULT);
    IS("pools of DEFAULT", pools_of(s), 1);
    IS("their access", access_of(pool_of(s, 0)), ABT_POOL_ACCESS_MPMC);
    IS("the pool's id", pool_id(pool_of(s, 0)), 2);
    IS("sizes", sched_sizes(s), 0);
    MUST(ABT_sched_free(&s));
    s = predefined(ABT_SCHED_BASIC);
    IS("pools of BASIC", pools_of(s), 1);
    IS("their access", access_of(pool_of(s, 0)), ABT_POOL_ACCESS_MPMC);
    IS("the pool's id", pool_id(pool_of(s, 0)), 3);
    MUST(ABT_sched_free(&s));
    s = predefined(ABT_SCHED_PRIO);
    IS("pools of PRIO", pools_of(s), 3);
    IS("their access", access_of(pool_of(s, 0)), ABT_POOL_ACCESS_MPMC);
    IS("the third pool's id", pool_id(pool_of(s, 2)), 6);
    ABT_pool pools[4] = {NULL, NULL, NULL, NULL};
    CODE(ABT_sched_get_pools(s, 4, 0, pools), ABT_ERR_SCHED);
    CODE(ABT_sched_get_pools(s, 1, 3, pools), ABT_ERR_SCHED);
    CODE(ABT_sched_get_pools(s, 0, 3, pools), ABT_SUCCESS);
    CODE(ABT_sched_get_pools(s, -1, 0, pools), ABT_ERR_INV_ARG);
    CODE(ABT_sched_get_pools(s, 1, -1, pools), ABT_ERR_INV_ARG);
    MUST(ABT_sched_free(&s));
    s = predefined(ABT_SCHED_RANDWS);
    IS("pools of RANDWS", pools_of(s), 1);
    IS("their access", access_of(pool_of(s, 0)), ABT_POOL_ACCESS_MPMC);
    IS("the pool's id", pool_id(pool_of(s, 0)), 7);
    MUST(ABT_sched_free(&s));
    s = predefined(ABT_SCHED_BASIC_WAIT);
    IS("pools of BASIC_WAIT", pools_of(s), 1);
    IS("their access", access_of(pool_of(s, 0)), ABT_POOL_ACCESS_MPMC);
    IS("the pool's id", pool_id(pool_of(s, 0)), 8);
    MUST(ABT_sched_free(&s));
}

static void lists_of_pools(void) {
    ABT_sched s = (ABT_sched)1;
    ABT_pool pools[4] = {NULL, NULL, NULL, NULL};
    CODE(ABT_sched_create_basic((ABT_sched_predef)5, 0, NULL, ABT_SCHED_CONFIG_NULL, &s),
         ABT_ERR_INV_SCHED_PREDEF);
    IS("what an error gives", s == ABT_SCHED_NULL, 1);
    CODE(ABT_sched_create_basic(ABT_SCHED_BASIC, -1, pools, ABT_SCHED_CONFIG_NULL, &s),
         ABT_ERR_INV_ARG);
    CODE(ABT_sched_create(&sched_def, -1, pools, ABT_SCHED_CONFIG_NULL, &s), ABT_ERR_INV_ARG);
    CODE(ABT_sched_create_basic(ABT_SCHED_BASIC, 0, pools, ABT_SCHED_CONFIG_NULL, &s), ABT_SUCCESS);
    IS("pools of BASIC with an empty list", pools_of(s), 0);
    MUST(ABT_sched_free(&s));
    for (int i = 0; i < 4; ++i) {
        pools[i] = ABT_POOL_NULL;
    }
    CODE(ABT_sched_create_basic(ABT_SCHED_PRIO, 4, pools, ABT_SCHED_CONFIG_NULL, &s), ABT_SUCCESS);
    IS("pools of PRIO with a list of four", pools_of(s), 4);
    IS("the fourth one's access", access_of(pool_of(s, 3)), ABT_POOL_ACCESS_MPMC);
    IS("the fourth one's id", pool_id(pool_of(s, 3)), 12);
    MUST(ABT_sched_free(&s));
    CODE(ABT_sched_free(&s), ABT_ERR_INV_SCHED);
}

static void main_scheduler(void) {
    ABT_sched s = ABT_SCHED_NULL;
    ABT_xstream_get_main_sched(self(), &s);
    IS("sizes of the main scheduler", sched_sizes(s), 0);
    ABT_thread t = ult(main_pool(), nothing, NULL);
    IS("with one unit", sched_sizes(s), 11);
    ABT_thread_free(&t);
    CODE(ABT_sched_free(&s), ABT_ERR_SCHED);
    CODE(ABT_xstream_create(s, &(ABT_xstream){NULL}), ABT_ERR_INV_SCHED);
    CODE(ABT_pool_add_sched(main_pool(), s), ABT_ERR_INV_SCHED);
    CODE(ABT_xstream_set_main_sched(self(), s), ABT_ERR_INV_SCHED);
    CODE(ABT_xstream_check_events(s), ABT_ERR_INV_THREAD);
    ABT_bool stop = 99;
    CODE(ABT_sched_has_to_stop(s, &stop), ABT_SUCCESS);
    IS("has to stop", stop, 0);
}

void schedulers(void) {
    MUST(ABT_init(0, NULL));
    predefined_schedulers();
    lists_of_pools();
    main_scheduler();
    MUST(ABT_finalize());
}

void scheduler_of_the_program(void) {
    MUST(ABT_init(0, NULL));
    ABT_pool pool = new_pool();
    ABT_sched s = ABT_SCHED_NULL;
    ABT_xstream x = ABT_XSTREAM_NULL;
    MUST(ABT_sched_create(&sched_def, 1, &pool, ABT_SCHED_CONFIG_NULL, &s));
    scheduler_asks = 1;
    MUST(ABT_xstream_create(s, &x));
    ABT_thread t = ult(pool, ask_own_id, NULL);
    ABT_thread_free(&t);
    IS("the next one's id", seen, 1);
    MUST(ABT_xstream_free(&x));
    CODE(ABT_sched_free(&s), ABT_SUCCESS);
    MUST(ABT_pool_free(&pool));
    MUST(ABT_finalize());
}

static void ask_stacked(ABT_sched s) {
    ABT_pool pool = ABT_POOL_NULL;
    ABT_thread t = ABT_THREAD_NULL;
    ABT_bool flag = 99;
    IS("a stacked scheduler's id", own_id(), 0);
    IS("its stack", stack_size_of(current_unit()), 4194304);
    CODE(ABT_self_is_unnamed(&flag), ABT_SUCCESS);
    IS("it is unnamed", flag, 1);
    ABT_sched_get_pools(s, 1, 0, &pool);
    IS("its sizes", sched_sizes(s), 11);
    ABT_pool_pop_thread(pool, &t);
    CODE(ABT_sched_has_to_stop(s, &flag), ABT_SUCCESS);
    IS("it has to stop", flag, 1);
    ABT_self_schedule(t, ABT_POOL_NULL);
    CODE(ABT_sched_has_to_stop(s, &flag), ABT_SUCCESS);
    IS("it has to stop, later", flag, 1);
}

void stacked_scheduler(void) {
    static ABT_sched_def def = {ABT_SCHED_TYPE_ULT, NULL, ask_stacked, NULL, NULL};
    MUST(ABT_init(0, NULL));
    ABT_pool pool = new_pool();
    ABT_sched s = ABT_SCHED_NULL;
    MUST(ABT_sched_create(&def, 1, &pool, ABT_SCHED_CONFIG_NULL, &s));
    ABT_thread t = ult(pool, ask_own_id, NULL);
    MUST(ABT_pool_add_sched(main_pool(), s));
    IS("the pool that it is in", sizes_of(main_pool()), 11);
    CODE(ABT_pool_add_sched(main_pool(), s), ABT_ERR_INV_SCHED);
    CODE(ABT_sched_free(&s), ABT_ERR_SCHED);
    ABT_thread_free(&t);
    IS("the id of its unit", seen, 1);
    ABT_self_yield();
    IS("the pool that it was in", sizes_of(main_pool()), 0);
    CODE(ABT_sched_free(&s), ABT_SUCCESS);
    MUST(ABT_pool_free(&pool));
    MUST(ABT_finalize());
}
