/* SPDX-License-Identifier: BSD-3-Clause */
/* Ids of units: in the order of asking, from 0 on. */
#include "numbers.h"

static void* ask_outside(void* unused) {
    (void)unused;
    ABT_unit_id id = 99;
    CODE(ABT_self_get_thread_id(&id), ABT_ERR_INV_XSTREAM);
    CODE(ABT_thread_self_id(&id), ABT_ERR_INV_XSTREAM);
    CODE(ABT_task_self_id(&id), ABT_ERR_INV_XSTREAM);
    IS("the id after an error", id, 99);
    return NULL;
}
static void ask_in_tasklet(void* unused) {
    (void)unused;
    ABT_unit_id id = 99;
    CODE(ABT_thread_self_id(&id), ABT_ERR_INV_THREAD);
    IS("the id after an error", id, 99);
    CODE(ABT_task_self_id(&id), ABT_SUCCESS);
    IS("a tasklet's own id", id, 6);
}

void ids_of_units(void) {
    MUST(ABT_init(0, NULL));
    const ABT_pool pool = main_pool();
    ABT_thread unasked = ult(pool, nothing, NULL);
    ABT_thread first = ult(pool, ask_own_id, NULL);
    ABT_thread_join(first);
    IS("the first that asks", seen, 0);
    IS("again, from outside it", id_of(first), 0);
    IS("the primary ULT", own_id(), 1);
    ABT_thread second = ult(pool, ask_own_id, NULL);
    IS("one that has not run", id_of(second), 2);
    ABT_thread_join(second);
    IS("the same in itself", seen, 2);
    IS("one created before all", id_of(unasked), 3);
    ABT_thread_revive(pool, ask_own_id, NULL, &second);
    ABT_thread_join(second);
    IS("a revived one", seen, 2);
    ABT_task task = tasklet(pool, ask_own_id, NULL);
    ABT_task_join(task);
    IS("a tasklet", seen, 4);
    uint64_t id = 99;
    CODE(ABT_task_get_id(task, &id), ABT_SUCCESS);
    IS("a tasklet, from outside it", id, 4);
    ABT_task_free(&task);
    ABT_thread_free(&first);
    first = ult(pool, ask_own_id, NULL);
    ABT_thread_free(&first);
    IS("one after a freed one", seen, 5);
    task = tasklet(pool, ask_in_tasklet, NULL);
    ABT_task_free(&task);
    CODE(ABT_task_self_id(&id), ABT_ERR_INV_TASK);
    ABT_unit_id own = 99;
    CODE(ABT_thread_self_id(&own), ABT_SUCCESS);
    IS("the primary ULT by its old name", own, 1);
    on_os_thread(ask_outside);
    ABT_thread_free(&second);
    ABT_thread_free(&unasked);
    MUST(ABT_finalize());
}

void ids_begin_anew(void) {
    MUST(ABT_init(0, NULL));
    IS("the first that asks", own_id(), 0);
    IS("the main pool", pool_id(main_pool()), 0);
    ABT_pool p = new_pool();
    IS("the first pool of the program", pool_id(p), 2);
    ABT_pool_free(&p);
    MUST(ABT_init(0, NULL));
    MUST(ABT_finalize());
    ABT_thread t = ult(main_pool(), ask_own_id, NULL);
    ABT_thread_free(&t);
    IS("one after a nested ABT_init", seen, 1);
    MUST(ABT_finalize());
}
