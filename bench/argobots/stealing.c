/* SPDX-License-Identifier: BSD-3-Clause */
/* fib by one ULT a call, over two streams that steal. */
#include "bench.h"

struct call {
    int n;
    long result;
};

static ABT_pool own_pool(void) {
    ABT_xstream self;
    ABT_pool pool;
    ABT_xstream_self(&self);
    ABT_xstream_get_main_pools(self, 1, &pool);
    return pool;
}

static void fib(void* argument) {
    struct call* c = argument;
    if (c->n < 2) {
        c->result = c->n;
        return;
    }
    struct call left = {c->n - 1, 0}, right = {c->n - 2, 0};
    ABT_thread child;
    ABT_thread_create(own_pool(), fib, &left, ABT_THREAD_ATTR_NULL, &child);
    fib(&right);
    ABT_thread_free(&child);
    c->result = left.result + right.result;
}

enum {
    argument = 22,
    calls = 28656,
    result = 17711
}; /* fib(n) makes fib(n + 1) - 1 ULTs beside the first */

static double fibs(const struct site* site, long count) {
    for (long round = 0; round < count; round++) {
        struct call root = {argument, 0};
        void* arguments[1] = {&root};
        run_ults(site, 1, fib, arguments);
        bench_check(root.result == result, "fib(22)");
    }
    return (double)count * calls;
}

const struct bench_case stealing_cases[] = {
    {"fib-randws", "spawn and join in fib(22), 2 streams", stealing, 1, fibs},
    {NULL, NULL, private_pool, 0, NULL}};
