/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's pool that never has anything; what it says when it is asked for a thread is its
 * program's choice. */
#ifndef EMPTY_POOL_H_INCLUDED
#define EMPTY_POOL_H_INCLUDED

#include <abt.h>

static ABT_unit create_unit(ABT_pool pool, ABT_thread thread) {
    (void)pool;
    return (ABT_unit)thread;
}
static void free_unit(ABT_pool pool, ABT_unit unit) {
    (void)pool;
    (void)unit;
}
static ABT_bool is_empty(ABT_pool pool) {
    (void)pool;
    return ABT_TRUE;
}
static void push(ABT_pool pool, ABT_unit unit, ABT_pool_context context) {
    (void)pool;
    (void)unit;
    (void)context;
}

static int define_empty_pool(ABT_pool_user_pop_fn pop, ABT_pool_user_def* definition) {
    return ABT_pool_user_def_create(create_unit, free_unit, is_empty, pop, push, definition);
}

#endif
