/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool and a scheduler of one's own by abt.h: the newest unit first, and two of this pool for
 * one of another. */
#include <abt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the pool keeps for each unit: made where a lack of memory can be reported, so that a push
 * cannot fail. */
struct entry {
    ABT_thread thread;
    struct entry* below;
};

struct stack {
    pthread_mutex_t lock; /* not an ABT_mutex: nothing here may suspend */
    struct entry* top;
};

static struct stack* stack_of(ABT_pool pool) {
    void* data = NULL;
    ABT_pool_get_data(pool, &data);
    return data;
}

static int init(ABT_pool pool, ABT_pool_config config) {
    (void)config;
    struct stack* s = malloc(sizeof *s);
    if (s == NULL) {
        return ABT_ERR_MEM;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->top = NULL;
    return ABT_pool_set_data(pool, s);
}

static void end(ABT_pool pool) {
    struct stack* s = stack_of(pool);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static ABT_unit create_unit(ABT_pool pool, ABT_thread thread) {
    (void)pool;
    struct entry* e = malloc(sizeof *e);
    if (e == NULL) {
        return ABT_UNIT_NULL;
    }
    e->thread = thread;
    return (ABT_unit)e;
}

static void free_unit(ABT_pool pool, ABT_unit unit) {
    (void)pool;
    free(unit);
}

static void push(ABT_pool pool, ABT_unit unit, ABT_pool_context context) {
    (void)context;
    struct stack* s = stack_of(pool);
    struct entry* e = (struct entry*)unit;
    pthread_mutex_lock(&s->lock);
    e->below = s->top;
    s->top = e;
    pthread_mutex_unlock(&s->lock);
}

static ABT_thread pop(ABT_pool pool, ABT_pool_context context) {
    (void)context;
    struct stack* s = stack_of(pool);
    pthread_mutex_lock(&s->lock);
    struct entry* e = s->top;
    if (e != NULL) {
        s->top = e->below;
    }
    pthread_mutex_unlock(&s->lock);
    return e == NULL ? ABT_THREAD_NULL : e->thread;
}

static ABT_bool is_empty(ABT_pool pool) {
    struct stack* s = stack_of(pool);
    pthread_mutex_lock(&s->lock);
    const ABT_bool empty = s->top == NULL ? ABT_TRUE : ABT_FALSE;
    pthread_mutex_unlock(&s->lock);
    return empty;
}

static ABT_pool create_pool(void) {
    ABT_pool_user_def def;
    ABT_pool_user_def_create(create_unit, free_unit, is_empty, pop, push, &def);
    ABT_pool_user_def_set_init(def, init);
    ABT_pool_user_def_set_free(def, end);
    ABT_pool pool = ABT_POOL_NULL;
    ABT_pool_create(def, ABT_POOL_CONFIG_NULL, &pool);
    ABT_pool_user_def_free(&def); /* the pool has copied it */
    return pool;
}

static int run_one_of(ABT_pool pool) {
    ABT_thread thread;
    ABT_pool_pop_thread(pool, &thread);
    return thread != ABT_THREAD_NULL && ABT_self_schedule(thread, ABT_POOL_NULL) == ABT_SUCCESS;
}

/* The scheduler's loop: it looks for a stop request now and then, and ends when there is one. */
static void two_to_one(ABT_sched sched) {
    ABT_pool pools[2];
    ABT_sched_get_pools(sched, 2, 0, pools);
    for (ABT_bool stop = ABT_FALSE; stop == ABT_FALSE;) {
        run_one_of(pools[0]);
        run_one_of(pools[0]);
        run_one_of(pools[1]);
        ABT_xstream_check_events(sched);
        ABT_sched_has_to_stop(sched, &stop);
    }
}

static char order[7];

static void note(void* name) { strncat(order, name, 1); }

int main(int argc, char** argv) {
    ABT_init(argc, argv);
    ABT_pool pools[2] = {create_pool(), ABT_POOL_NULL};
    ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pools[1]);
    static char names[] = "1234ab";
    ABT_thread threads[6];
    for (int i = 0; i < 6; ++i) {
        ABT_thread_create(pools[i / 4], note, &names[i], ABT_THREAD_ATTR_NULL, &threads[i]);
    }
    ABT_sched_def def = {.run = two_to_one};
    ABT_sched sched;
    ABT_xstream stream;
    ABT_sched_create(&def, 2, pools, ABT_SCHED_CONFIG_NULL, &sched);
    ABT_xstream_create(sched, &stream);
    for (int i = 0; i < 6; ++i) {
        ABT_thread_free(&threads[i]); /* joins it */
    }
    ABT_xstream_free(&stream); /* tells the scheduler to end, and waits */
    ABT_sched_free(&sched);
    ABT_pool_free(&pools[0]);
    ABT_pool_free(&pools[1]);
    ABT_finalize();
    puts(order);
    return strcmp(order, "43a21b") == 0 ? 0 : 1;
}
