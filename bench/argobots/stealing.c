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

/* fib(n) makes fib(n + 1) - 1 ULTs. */
static double fib_once(const struct site* site, long n) {
    struct call root = {(int)n, 0}, following = {0, 0};
    void* arguments[1] = {&root};
    long a = 0, b = 1;
    run_ults(site, 1, fib, arguments);
    for (long i = 0; i < n; i++) {
        following.result = a + b;
        a = b;
        b = following.result;
    }
    if (root.result != a) require(ABT_ERR_OTHER, "the check of fib's result");
    return (double)(b - 1);
}

const struct bench_case stealing_cases[] = {
    {"fib-randws", "spawn and join in fib(22), 2 streams", stealing, 22, fib_once},
    {NULL, NULL, private_pool, 0, NULL}};
