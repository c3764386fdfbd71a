/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that was compiled where all null constants are NULL gets NULL back, and not the numbered ones; until it shows
 * that it knows those. A process of its own, because the library learns once. */
#include <abt.h>
#include <stdio.h>

static int bad;

static void expect(int condition, const char* what) {
    if (!condition) {
        fprintf(stderr, "null_family: not so: %s\n", what);
        bad = 1;
    }
}

static void nothing(void* unused) { (void)unused; }

static ABT_thread freed(ABT_pool pool, ABT_thread_attr attr) {
    ABT_thread thread;
    expect(ABT_thread_create(pool, nothing, NULL, attr, &thread) == ABT_SUCCESS, "a ULT is created");
    expect(ABT_thread_free(&thread) == ABT_SUCCESS, "and freed");
    return thread;
}

int main(void) {
    ABT_xstream self;
    ABT_pool pool;
    ABT_unit unit;
    ABT_thread popped;
    if (ABT_init(0, NULL) != ABT_SUCCESS || ABT_xstream_self(&self) != ABT_SUCCESS ||
        ABT_xstream_get_main_pools(self, 1, &pool) != ABT_SUCCESS)
        return 1;
    ABT_pool_pop(pool, &unit);
    expect(unit == ABT_UNIT_NULL, "numbered as long as nothing is known");
    expect(freed(pool, NULL) == NULL, "NULL for one who gave NULL");
    ABT_pool_pop(pool, &unit);
    expect(unit == NULL, "an empty pool has NULL");
    ABT_pool_pop_thread(pool, &popped);
    expect(popped == NULL, "also for threads");
    expect(freed(pool, ABT_THREAD_ATTR_NULL) == ABT_THREAD_NULL, "numbered for one who knows them");
    expect(freed(pool, NULL) == ABT_THREAD_NULL, "for good");
    ABT_pool_pop(pool, &unit);
    expect(unit == ABT_UNIT_NULL, "everywhere");
    return ABT_finalize() == ABT_SUCCESS ? bad : 1;
}
