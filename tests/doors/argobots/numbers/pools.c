/* SPDX-License-Identifier: BSD-3-Clause */
/* Ids and sizes of pools, and the states of units that wait in them. */
#include "numbers.h"

static ABT_pool watched;
static ABT_thread main_ult;
static void look_from_inside(void* unused) {
    (void)unused;
    EITHER("the pool while its joiner waits", sizes_of(watched), 0, 1);
    EITHER("the joiner", state_of(main_ult), ABT_THREAD_STATE_RUNNING, ABT_THREAD_STATE_BLOCKED);
    IS("the caller", state_of(current_unit()), ABT_THREAD_STATE_RUNNING);
    IS("the caller as a tasklet", task_state_of(current_unit()), ABT_TASK_STATE_RUNNING);
}
static void look_at_yielder(void* unused) {
    (void)unused;
    IS("the pool while another has given way", sizes_of(watched), 11);
    IS("that one", state_of(main_ult), ABT_THREAD_STATE_READY);
}
static void look_as_tasklet(void* unused) {
    (void)unused;
    EITHER("the pool while the joiner of a tasklet waits", sizes_of(watched), 0, 11);
    EITHER("the joiner", state_of(main_ult), ABT_THREAD_STATE_RUNNING, ABT_THREAD_STATE_READY);
    IS("the tasklet", task_state_of(current_unit()), ABT_TASK_STATE_RUNNING);
    IS("the tasklet as a thread", state_of(current_unit()), ABT_THREAD_STATE_RUNNING);
    IS("its stack", stack_size_of(current_unit()), 0);
    CODE(ABT_self_yield(), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_yield(), ABT_SUCCESS);
    CODE(ABT_self_suspend(), ABT_ERR_INV_THREAD);
    CODE(ABT_self_exit(), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_exit(), ABT_ERR_INV_THREAD);
    CODE(ABT_xstream_exit(), ABT_ERR_INV_THREAD);
}
static void suspend(void* unused) {
    (void)unused;
    ABT_self_suspend();
}

void sizes_of_pools(void) {
    MUST(ABT_init(0, NULL));
    watched = main_pool();
    main_ult = current_unit();
    IS("the main pool", sizes_of(watched), 0);
    IS("it is empty", is_empty(watched), 1);
    IS("its access", access_of(watched), ABT_POOL_ACCESS_MPMC);
    ABT_thread t = ult(watched, look_from_inside, NULL);
    IS("with a ULT", sizes_of(watched), 11);
    IS("it is empty, with a ULT", is_empty(watched), 0);
    ABT_thread_free(&t);
    IS("after it", sizes_of(watched), 0);
    t = ult(watched, look_at_yielder, NULL);
    ABT_self_yield();
    ABT_thread_free(&t);
    t = ult(watched, suspend, NULL);
    ABT_self_yield();
    IS("with a suspended one", sizes_of(watched), 1);
    IS("it is empty, with a suspended one", is_empty(watched), 1);
    IS("the suspended one", state_of(t), ABT_THREAD_STATE_BLOCKED);
    IS("the suspended one as a tasklet", task_state_of(t), ABT_TASK_STATE_RUNNING);
    ABT_sched s = ABT_SCHED_NULL;
    ABT_xstream_get_main_sched(self(), &s);
    IS("the scheduler's", sched_sizes(s), 1);
    ABT_thread_resume(t);
    EITHER("with a resumed one", sizes_of(watched), 12, 11);
    IS("the resumed one", state_of(t), ABT_THREAD_STATE_READY);
    CODE(ABT_thread_resume(t), ABT_ERR_THREAD);
    ABT_thread_join(t);
    IS("an ended one", state_of(t), ABT_THREAD_STATE_TERMINATED);
    IS("with an ended one", sizes_of(watched), 0);
    CODE(ABT_thread_resume(t), ABT_ERR_THREAD);
    MUST(ABT_thread_revive(watched, nothing, NULL, &t));
    IS("a revived one", state_of(t), ABT_THREAD_STATE_READY);
    IS("with a revived one", sizes_of(watched), 11);
    CODE(ABT_thread_revive(watched, nothing, NULL, &t), ABT_ERR_INV_THREAD);
    CODE(ABT_thread_cancel(t), ABT_SUCCESS);
    IS("a cancelled one", state_of(t), ABT_THREAD_STATE_READY);
    ABT_thread_free(&t);
    t = tasklet(watched, look_as_tasklet, NULL);
    IS("with a tasklet", sizes_of(watched), 11);
    IS("a tasklet", task_state_of(t), ABT_TASK_STATE_READY);
    ABT_task_join(t);
    IS("an ended tasklet", task_state_of(t), ABT_TASK_STATE_TERMINATED);
    ABT_task_free(&t);
    MUST(ABT_finalize());
}

static void wait_mutex(void* w) {
    ABT_mutex_lock(((struct waits*)w)->mutex);
    ABT_mutex_unlock(((struct waits*)w)->mutex);
}
static void wait_cond(void* argument) {
    struct waits* w = argument;
    ABT_mutex_lock(w->mutex);
    ABT_cond_wait(w->cond, w->mutex);
    ABT_mutex_unlock(w->mutex);
}
static void wait_eventual(void* w) { ABT_eventual_wait(((struct waits*)w)->eventual, NULL); }
static void wait_future(void* w) { ABT_future_wait(((struct waits*)w)->future); }
static void wait_barrier(void* w) { ABT_barrier_wait(((struct waits*)w)->barrier); }
static void wait_rwlock(void* w) {
    ABT_rwlock_rdlock(((struct waits*)w)->rwlock);
    ABT_rwlock_unlock(((struct waits*)w)->rwlock);
}
static void wait_join(void* t) { ABT_thread_join(t); }

static void wait_for_locks(ABT_pool pool, struct waits* w) {
    ABT_mutex_lock(w->mutex);
    ABT_thread t = ult(pool, wait_mutex, w);
    ABT_self_yield();
    IS("for a mutex", sizes_of(pool), 1);
    IS("its state", state_of(t), ABT_THREAD_STATE_BLOCKED);
    ABT_mutex_unlock(w->mutex);
    EITHER("for a mutex that is free", sizes_of(pool), 12, 11);
    ABT_thread_free(&t);
    t = ult(pool, wait_cond, w);
    ABT_self_yield();
    IS("for a condition", sizes_of(pool), 1);
    IS("its state, too", state_of(t), ABT_THREAD_STATE_BLOCKED);
    ABT_cond_signal(w->cond);
    EITHER("after a signal", sizes_of(pool), 12, 11);
    ABT_thread_free(&t);
    ABT_rwlock_wrlock(w->rwlock);
    t = ult(pool, wait_rwlock, w);
    ABT_self_yield();
    IS("for a lock of readers and writers", sizes_of(pool), 1);
    ABT_rwlock_unlock(w->rwlock);
    ABT_thread_free(&t);
}

static void wait_for_values(ABT_pool pool, struct waits* w) {
    ABT_thread t = ult(pool, wait_eventual, w);
    ABT_self_yield();
    IS("for an eventual", sizes_of(pool), 1);
    ABT_eventual_set(w->eventual, NULL, 0);
    EITHER("for an eventual that is set", sizes_of(pool), 12, 11);
    ABT_thread_free(&t);
    t = ult(pool, wait_future, w);
    ABT_self_yield();
    IS("for a future", sizes_of(pool), 1);
    ABT_future_set(w->future, NULL);
    EITHER("for a future that is set", sizes_of(pool), 12, 11);
    ABT_thread_free(&t);
    t = ult(pool, wait_barrier, w);
    ABT_self_yield();
    IS("for a barrier", sizes_of(pool), 1);
    ABT_barrier_wait(w->barrier);
    EITHER("for a barrier that is open", sizes_of(pool), 12, 11);
    ABT_thread_free(&t);
}

static void wait_for_an_end(ABT_pool pool) {
    ABT_thread suspended = ult(pool, suspend, NULL);
    ABT_thread t = ult(pool, wait_join, suspended);
    ABT_self_yield();
    IS("for the end of a suspended one", sizes_of(pool), 2);
    IS("the joiner", state_of(t), ABT_THREAD_STATE_BLOCKED);
    ABT_thread_resume(suspended);
    ABT_thread_free(&t);
    ABT_thread_free(&suspended);
    IS("none", sizes_of(pool), 0);
}

void sizes_while_units_wait(void) {
    MUST(ABT_init(0, NULL));
    struct waits w;
    ABT_mutex_create(&w.mutex);
    ABT_cond_create(&w.cond);
    ABT_eventual_create(0, &w.eventual);
    ABT_future_create(1, NULL, &w.future);
    ABT_barrier_create(2, &w.barrier);
    ABT_rwlock_create(&w.rwlock);
    wait_for_locks(main_pool(), &w);
    wait_for_values(main_pool(), &w);
    wait_for_an_end(main_pool());
    ABT_mutex_free(&w.mutex);
    ABT_cond_free(&w.cond);
    ABT_eventual_free(&w.eventual);
    ABT_future_free(&w.future);
    ABT_barrier_free(&w.barrier);
    ABT_rwlock_free(&w.rwlock);
    MUST(ABT_finalize());
}

static void migrate_on(void* target) {
    ABT_thread_migrate_to_pool(current_unit(), target);
    ABT_self_yield();
    int id = -99;
    CODE(ABT_self_get_last_pool_id(&id), ABT_SUCCESS);
    IS("the pool after it has moved", id, 0);
}

static void ids_of_pools(ABT_pool p[3]) {
    IS("the main pool", pool_id(main_pool()), 0);
    for (int i = 0; i < 3; ++i) {
        p[i] = new_pool();
    }
    IS("first", pool_id(p[0]), 2);
    IS("third", pool_id(p[2]), 4);
    ABT_pool_free(&p[2]);
    p[2] = new_pool();
    IS("after a freed one", pool_id(p[2]), 5);
}

static void units_of_pools(ABT_pool p[3]) {
    int id = -99;
    CODE(ABT_self_get_last_pool_id(&id), ABT_SUCCESS);
    IS("the primary ULT's", id, 0);
    ABT_thread t = ult(p[0], nothing, NULL);
    CODE(ABT_thread_get_last_pool_id(t, &id), ABT_SUCCESS);
    IS("a unit's", id, 2);
    IS("a pool that no stream has", sizes_of(p[0]), 11);
    ABT_thread popped = ABT_THREAD_NULL;
    CODE(ABT_pool_pop_thread(p[0], &popped), ABT_SUCCESS);
    IS("the unit is popped", popped == t, 1);
    IS("its state", state_of(t), ABT_THREAD_STATE_READY);
    IS("sizes without it", sizes_of(p[0]), 0);
    CODE(ABT_pool_pop_thread(p[0], &popped), ABT_SUCCESS);
    IS("nothing more", popped == ABT_THREAD_NULL, 1);
    CODE(ABT_pool_push_thread(p[1], t), ABT_SUCCESS);
    CODE(ABT_thread_get_last_pool_id(t, &id), ABT_SUCCESS);
    IS("its other pool", id, 3);
    IS("sizes of that", sizes_of(p[1]), 11);
    ABT_thread many[4] = {NULL, NULL, NULL, NULL};
    size_t count = 99;
    CODE(ABT_pool_pop_threads(p[1], many, 0, &count), ABT_SUCCESS);
    IS("a count of none", count, 99);
    CODE(ABT_pool_pop_threads(p[1], many, 4, &count), ABT_SUCCESS);
    IS("a count", count, 1);
    CODE(ABT_pool_pop_threads(p[1], many, 4, &count), ABT_SUCCESS);
    IS("a count of nothing more", count, 0);
    CODE(ABT_pool_push_threads(main_pool(), many, 4), ABT_SUCCESS);
    IS("sizes of the main pool", sizes_of(main_pool()), 11);
    CODE(ABT_pool_push_thread(p[1], ABT_THREAD_NULL), ABT_SUCCESS);
    ABT_thread_free(&t);
}

static void no_units(ABT_pool p[3]) {
    int id = -99;
    ABT_unit unit = (ABT_unit)&id;
    CODE(ABT_pool_pop(p[1], &unit), ABT_SUCCESS);
    IS("no unit", unit == ABT_UNIT_NULL, 1);
    CODE(ABT_pool_pop_wait(p[1], &unit, 0.0), ABT_SUCCESS);
    CODE(ABT_pool_push(p[1], ABT_UNIT_NULL), ABT_ERR_INV_UNIT);
    CODE(ABT_xstream_run_unit(ABT_UNIT_NULL, p[1]), ABT_ERR_INV_UNIT);
    ABT_thread t = ult(main_pool(), migrate_on, main_pool());
    ABT_thread_join(t);
    CODE(ABT_thread_get_last_pool_id(t, &id), ABT_SUCCESS);
    IS("the pool of an ended one", id, 0);
    ABT_thread_free(&t);
}

static void kinds_of_pools(void) {
    ABT_pool p = (ABT_pool)1;
    CODE(ABT_pool_create_basic((ABT_pool_kind)3, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &p),
         ABT_ERR_INV_POOL_KIND);
    IS("what an error gives", p == ABT_POOL_NULL, 1);
    CODE(ABT_pool_create_basic(ABT_POOL_FIFO, (ABT_pool_access)5, ABT_FALSE, &p),
         ABT_ERR_INV_POOL_ACCESS);
    CODE(ABT_pool_create_basic(ABT_POOL_FIFO_WAIT, ABT_POOL_ACCESS_PRIV, ABT_FALSE, &p),
         ABT_SUCCESS);
    IS("its access", access_of(p), ABT_POOL_ACCESS_PRIV);
    IS("an id after two errors", pool_id(p), 6);
    MUST(ABT_pool_free(&p));
    CODE(ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_SPMC, ABT_FALSE, &p), ABT_SUCCESS);
    IS("the access of RANDWS", access_of(p), ABT_POOL_ACCESS_SPMC);
    MUST(ABT_pool_free(&p));
    CODE(ABT_pool_free(&p), ABT_ERR_INV_POOL);
}

void pools(void) {
    MUST(ABT_init(0, NULL));
    ABT_pool p[3];
    ids_of_pools(p);
    units_of_pools(p);
    no_units(p);
    for (int i = 0; i < 3; ++i) {
        MUST(ABT_pool_free(&p[i]));
    }
    kinds_of_pools();
    MUST(ABT_finalize());
}
