/* SPDX-License-Identifier: BSD-3-Clause */
/* Units that are not in the right state, or not the right ones; keys, settings, timers. */
#include "numbers.h"

static void misuse_by_a_ult(void* unused) {
    (void)unused;
    ABT_thread me = current_unit();
    CODE(ABT_thread_join(me), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_free(&me), ABT_ERR_INV_THREAD);
    CODE(ABT_self_yield_to(me), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_yield_to(me), ABT_ERR_INV_THREAD);
    CODE(ABT_self_suspend_to(me), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_resume(me), ABT_ERR_THREAD);
}

static void misuse_of_the_primary_ult(ABT_pool pool) {
    ABT_thread primary = current_unit();
    ABT_bool flag = 99;
    CODE(ABT_thread_join(primary), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_free(&primary), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_cancel(primary), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_exit(), ABT_ERR_INV_THREAD);
    CODE(ABT_self_exit(), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_resume(primary), ABT_ERR_THREAD);
    CODE(ABT_thread_migrate(primary), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_migrate_to_pool(primary, pool), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_migrate_to_xstream(primary, self()), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_set_migratable(primary, ABT_TRUE), ABT_SUCCESS);
    CODE(ABT_thread_is_migratable(primary, &flag), ABT_SUCCESS);
    IS("the primary ULT is migratable", flag, 0);
    CODE(ABT_thread_is_primary(primary, &flag), ABT_SUCCESS);
    IS("it is primary", flag, 1);
    CODE(ABT_thread_is_unnamed(primary, &flag), ABT_SUCCESS);
    IS("it is unnamed", flag, 1);
    IS("its state", state_of(primary), ABT_THREAD_STATE_RUNNING);
    IS("its type", (ABT_self_get_type((ABT_unit_type*)&flag), flag), 0);
}

static void misuse_of_a_ult(ABT_pool pool) {
    ABT_bool flag = 99;
    ABT_thread t = ult(pool, misuse_by_a_ult, NULL);
    CODE_HERE(ABT_thread_migrate(t), ABT_ERR_MIGRATION_NA, ABT_SUCCESS);
    CODE(ABT_thread_migrate_to_pool(t, pool), ABT_ERR_MIGRATION_TARGET);
    CODE(ABT_thread_migrate_to_xstream(t, self()), ABT_ERR_MIGRATION_TARGET);
    CODE(ABT_thread_is_migratable(t, &flag), ABT_SUCCESS);
    IS("a ULT is migratable", flag, 1);
    CODE(ABT_thread_set_migratable(t, ABT_FALSE), ABT_SUCCESS);
    CODE(ABT_thread_migrate_to_pool(t, pool), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_revive(pool, nothing, NULL, &t), ABT_ERR_INV_THREAD);
    ABT_xstream last = NULL;
    CODE(ABT_thread_get_last_xstream(t, &last), ABT_SUCCESS);
    IS("the stream before it runs", last == ABT_XSTREAM_NULL, 1);
    CODE(ABT_thread_join(t), ABT_SUCCESS);
    CODE(ABT_thread_get_last_xstream(t, &last), ABT_SUCCESS);
    IS("the stream after it ran", last == self(), 1);
    CODE(ABT_thread_join(t), ABT_SUCCESS);
    CODE(ABT_thread_cancel(t), ABT_SUCCESS);
    CODE(ABT_thread_migrate_to_pool(t, pool), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_free(&t), ABT_SUCCESS);
    IS("a freed one's handle", t == ABT_THREAD_NULL, 1);
    CODE(ABT_thread_create_many(1, (ABT_pool[]){pool}, (void (*[])(void*)){nothing}, NULL,
                                ABT_THREAD_ATTR_NULL, &t),
         ABT_SUCCESS);
    CODE(ABT_thread_join_many(1, &t), ABT_SUCCESS);
    CODE(ABT_thread_free_many(1, &t), ABT_SUCCESS);
    IS("a handle freed with others", t == ABT_THREAD_NULL, 1);
}

static void misuse_of_a_tasklet(ABT_pool pool) {
    ABT_bool flag = 99;
    ABT_task t = tasklet(pool, nothing, NULL);
    CODE(ABT_thread_resume(t), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_yield_to(t), ABT_ERR_INV_THREAD);
    CODE(ABT_self_yield_to(t), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_is_migratable(t, &flag), ABT_SUCCESS);
    IS("a tasklet is migratable", flag, 1);
    CODE(ABT_task_cancel(t), ABT_SUCCESS);
    CODE(ABT_task_join(t), ABT_SUCCESS);
    CODE(ABT_task_free(&t), ABT_SUCCESS);
}

void misuse_of_units(void) {
    MUST(ABT_init(0, NULL));
    misuse_of_the_primary_ult(main_pool());
    misuse_of_a_ult(main_pool());
    misuse_of_a_tasklet(main_pool());
    MUST(ABT_finalize());
    CODE(ABT_finalize(), ABT_ERR_UNINITIALIZED);
    CODE(ABT_initialized(), ABT_ERR_UNINITIALIZED);
}

void keys(void) {
    MUST(ABT_init(0, NULL));
    ABT_key key = ABT_KEY_NULL;
    void* value = &key;
    MUST(ABT_key_create(NULL, &key));
    CODE(ABT_key_get(key, &value), ABT_SUCCESS);
    IS("a value at first is NULL", value == NULL, 1);
    CODE(ABT_key_set(key, &key), ABT_SUCCESS);
    CODE(ABT_thread_get_specific(current_unit(), key, &value), ABT_SUCCESS);
    IS("it is as set", value == &key, 1);
    CODE(ABT_key_free(&key), ABT_SUCCESS);
    IS("a freed key's handle", key == ABT_KEY_NULL, 1);
    CODE(ABT_key_free(&key), ABT_ERR_INV_KEY);
    MUST(ABT_finalize());
}

void configurations(void) {
    ABT_sched_config config = ABT_SCHED_CONFIG_NULL;
    ABT_sched_config_type type = (ABT_sched_config_type)99;
    const ABT_sched_config_var odd = {0, (ABT_sched_config_type)7};
    int number = 7;
    MUST(ABT_init(0, NULL));
    CODE(ABT_sched_config_create(&config, odd, 1, ABT_sched_config_var_end), ABT_ERR_INV_ARG);
    CODE(ABT_sched_config_create(&config, ABT_sched_basic_freq, 10, ABT_sched_config_var_end),
         ABT_SUCCESS);
    CODE(ABT_sched_config_get(config, ABT_sched_basic_freq.idx, &type, &number), ABT_SUCCESS);
    IS("a number", number, 10);
    IS("its type", type, 0);
    CODE(ABT_sched_config_get(config, 3, &type, &number), ABT_ERR_INV_ARG);
    CODE(ABT_sched_config_set(config, 3, (ABT_sched_config_type)7, &number), ABT_ERR_INV_ARG);
    CODE(ABT_sched_config_set(config, 3, ABT_SCHED_CONFIG_INT, NULL), ABT_SUCCESS);
    CODE(ABT_sched_config_read(config, 1, &number), ABT_SUCCESS);
    IS("what is not there stays", number, 10);
    CODE(ABT_sched_config_free(&config), ABT_SUCCESS);
    IS("a freed one's handle", config == ABT_SCHED_CONFIG_NULL, 1);
    CODE(ABT_sched_config_free(&config), ABT_ERR_INV_SCHED_CONFIG);
    ABT_pool_config pool_config = ABT_POOL_CONFIG_NULL;
    ABT_pool_config_type pool_type = (ABT_pool_config_type)99;
    MUST(ABT_pool_config_create(&pool_config));
    CODE(ABT_pool_config_get(pool_config, 1, &pool_type, &number), ABT_ERR_INV_ARG);
    CODE(ABT_pool_config_set(pool_config, 1, (ABT_pool_config_type)7, &number), ABT_ERR_INV_ARG);
    CODE(ABT_pool_config_free(&pool_config), ABT_SUCCESS);
    CODE(ABT_pool_config_free(&pool_config), ABT_ERR_INV_POOL_CONFIG);
    MUST(ABT_finalize());
}

static double next_tick(void) {
    const double began = ABT_get_wtime();
    double now = began;
    while (now == began) {
        now = ABT_get_wtime();
    }
    return now - began;
}

void timers(void) {
    ABT_timer t = ABT_TIMER_NULL;
    double overhead = -1;
    double seconds = -1;
    MUST(ABT_timer_create(&t));
    CODE(ABT_timer_start(t), ABT_SUCCESS);
    CODE(ABT_timer_stop(t), ABT_SUCCESS);
    CODE(ABT_timer_read(t, &seconds), ABT_SUCCESS);
    IS("a time that is not negative", seconds >= 0, 1);
    CODE(ABT_timer_get_overhead(&overhead), ABT_SUCCESS);
    IS("an overhead that is not negative", overhead >= 0, 1);
    CODE(ABT_timer_free(&t), ABT_SUCCESS);
    CODE(ABT_timer_free(&t), ABT_ERR_INV_TIMER);
    double least = 1;
    for (int i = 0; i < 1000; ++i) {
        const double tick = next_tick();
        least = tick < least ? tick : least;
    }
    IS("ticks are finer than a microsecond", least < 1e-6, 1);
}
