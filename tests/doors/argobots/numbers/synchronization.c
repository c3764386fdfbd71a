/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks and what units wait for. */
#include "numbers.h"

static void locks_in_tasklet(void* argument) {
    struct waits* w = argument;
    const struct timespec past = {1, 0};
    ABT_bool ready = 99;
    CODE(ABT_eventual_wait(w->eventual, NULL), ABT_ERR_EVENTUAL);
    CODE(ABT_eventual_test(w->eventual, NULL, &ready), ABT_SUCCESS);
    CODE(ABT_future_wait(w->future), ABT_ERR_FUTURE);
    CODE(ABT_barrier_wait(w->barrier), ABT_ERR_BARRIER);
    CODE(ABT_rwlock_rdlock(w->rwlock), ABT_ERR_RWLOCK);
    CODE(ABT_rwlock_wrlock(w->rwlock), ABT_ERR_RWLOCK);
    CODE(ABT_mutex_lock(w->mutex), ABT_SUCCESS);
    CODE(ABT_cond_timedwait(w->cond, w->mutex, &past), ABT_ERR_COND_TIMEDOUT);
    CODE(ABT_mutex_unlock(w->mutex), ABT_SUCCESS);
}

static void locks(struct waits* w) {
    const struct timespec past = {1, 0};
    ABT_mutex_attr attr = ABT_MUTEX_ATTR_NULL;
    ABT_bool flag = 99;
    MUST(ABT_mutex_attr_create(&attr));
    CODE(ABT_mutex_attr_get_recursive(attr, &flag), ABT_SUCCESS);
    IS("recursive by default", flag, 0);
    MUST(ABT_mutex_attr_set_recursive(attr, ABT_TRUE));
    MUST(ABT_mutex_create_with_attr(attr, &w->mutex));
    MUST(ABT_mutex_attr_free(&attr));
    MUST(ABT_mutex_get_attr(w->mutex, &attr));
    CODE(ABT_mutex_attr_get_recursive(attr, &flag), ABT_SUCCESS);
    IS("recursive as set", flag, 1);
    MUST(ABT_mutex_attr_free(&attr));
    CODE(ABT_mutex_trylock(w->mutex), ABT_SUCCESS);
    CODE(ABT_mutex_trylock(w->mutex), ABT_SUCCESS);
    CODE(ABT_mutex_unlock(w->mutex), ABT_SUCCESS);
    CODE(ABT_mutex_unlock(w->mutex), ABT_SUCCESS);
    MUST(ABT_mutex_free(&w->mutex));
    MUST(ABT_mutex_create(&w->mutex));
    CODE(ABT_mutex_trylock(w->mutex), ABT_SUCCESS);
    CODE(ABT_mutex_trylock(w->mutex), ABT_ERR_MUTEX_LOCKED);
    CODE(ABT_mutex_unlock(w->mutex), ABT_SUCCESS);
    ABT_cond_create(&w->cond);
    ABT_mutex_lock(w->mutex);
    CODE(ABT_cond_timedwait(w->cond, w->mutex, &past), ABT_ERR_COND_TIMEDOUT);
    ABT_mutex_unlock(w->mutex);
    CODE(ABT_cond_signal(w->cond), ABT_SUCCESS);
    CODE(ABT_cond_broadcast(w->cond), ABT_SUCCESS);
}

static void barriers(struct waits* w) {
    uint32_t count = 99;
    MUST(ABT_barrier_create(2, &w->barrier));
    CODE(ABT_barrier_get_num_waiters(w->barrier, &count), ABT_SUCCESS);
    IS("waiters of a barrier", count, 2);
    CODE(ABT_barrier_reinit(w->barrier, 3), ABT_SUCCESS);
    CODE(ABT_barrier_get_num_waiters(w->barrier, &count), ABT_SUCCESS);
    IS("waiters after reinit", count, 3);
    CODE(ABT_barrier_reinit(w->barrier, 0), ABT_ERR_INV_ARG);
    ABT_barrier none = ABT_BARRIER_NULL;
    CODE(ABT_barrier_create(0, &none), ABT_ERR_INV_ARG);
    IS("what an error gives", none == ABT_BARRIER_NULL, 1);
    ABT_xstream_barrier streams_barrier = ABT_XSTREAM_BARRIER_NULL;
    CODE(ABT_xstream_barrier_create(0, &streams_barrier), ABT_ERR_INV_ARG);
    CODE(ABT_xstream_barrier_create(1, &streams_barrier), ABT_SUCCESS);
    CODE(ABT_xstream_barrier_wait(streams_barrier), ABT_SUCCESS);
    CODE(ABT_xstream_barrier_free(&streams_barrier), ABT_SUCCESS);
}

static void eventuals(struct waits* w) {
    ABT_bool flag = 99;
    int place = 99;
    CODE(ABT_eventual_create(-1, &w->eventual), ABT_ERR_INV_ARG);
    MUST(ABT_eventual_create(8, &w->eventual));
    void* value = &place;
    CODE(ABT_eventual_test(w->eventual, &value, &flag), ABT_SUCCESS);
    IS("ready at first", flag, 0);
    IS("a value at first", value == &place, 1);
    long long word = 5;
    CODE(ABT_eventual_set(w->eventual, &word, 9), ABT_ERR_INV_EVENTUAL);
    CODE(ABT_eventual_set(w->eventual, &word, -1), ABT_ERR_INV_ARG);
    CODE(ABT_eventual_set(w->eventual, &word, 8), ABT_SUCCESS);
    CODE(ABT_eventual_set(w->eventual, &word, 8), ABT_ERR_EVENTUAL);
    CODE(ABT_eventual_wait(w->eventual, &value), ABT_SUCCESS);
    IS("its value", *(long long*)value, 5);
    CODE(ABT_eventual_reset(w->eventual), ABT_SUCCESS);
    CODE(ABT_eventual_test(w->eventual, &value, &flag), ABT_SUCCESS);
    IS("ready after reset", flag, 0);
}

static void futures(struct waits* w) {
    ABT_bool flag = 99;
    ABT_future zero = ABT_FUTURE_NULL;
    CODE(ABT_future_create(0, NULL, &zero), ABT_SUCCESS);
    CODE(ABT_future_test(zero, &flag), ABT_SUCCESS);
    IS("a future of none is ready", flag, 1);
    CODE(ABT_future_set(zero, NULL), ABT_ERR_FUTURE);
    CODE(ABT_future_free(&zero), ABT_SUCCESS);
    MUST(ABT_future_create(1, NULL, &w->future));
    CODE(ABT_future_test(w->future, &flag), ABT_SUCCESS);
    IS("a future of one is ready", flag, 0);
    CODE(ABT_future_set(w->future, NULL), ABT_SUCCESS);
    CODE(ABT_future_set(w->future, NULL), ABT_ERR_FUTURE);
    CODE(ABT_future_test(w->future, &flag), ABT_SUCCESS);
    IS("it is ready when it is set", flag, 1);
    CODE(ABT_future_reset(w->future), ABT_SUCCESS);
    CODE(ABT_future_test(w->future, &flag), ABT_SUCCESS);
    IS("it is ready after reset", flag, 0);
}

void synchronization(void) {
    MUST(ABT_init(0, NULL));
    struct waits w;
    locks(&w);
    barriers(&w);
    eventuals(&w);
    futures(&w);
    ABT_rwlock_create(&w.rwlock);
    ABT_task t = tasklet(main_pool(), locks_in_tasklet, &w);
    ABT_task_free(&t);
    ABT_mutex_free(&w.mutex);
    ABT_cond_free(&w.cond);
    ABT_eventual_free(&w.eventual);
    ABT_future_free(&w.future);
    ABT_barrier_free(&w.barrier);
    ABT_rwlock_free(&w.rwlock);
    MUST(ABT_finalize());
}
