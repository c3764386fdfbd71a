/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>

#include "bench.h"

enum {
    width = 16,
    fine_width = 1024,
    tasks = 1000,
    loop_tasks = 100,
    fib_n = 20,
    outer = 8,
    inner = 8
};

long omp_checked;
static volatile long sink;

/* --- regions */

static void parallel(long iterations) {
    for (long i = 0; i < iterations; ++i) {
#pragma omp parallel
        sink = i;
    }
}

static void nested(long iterations) {
    omp_set_max_active_levels(2);
    for (long i = 0; i < iterations; ++i) {
#pragma omp parallel num_threads(outer)
#pragma omp parallel num_threads(inner)
        sink = i;
    }
}

static void reduction(long iterations) {
    for (long i = 0; i < iterations; ++i) {
        long sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (long k = 0; k < width; ++k) {
            sum += k;
        }
        omp_checked += sum == width * (width - 1) / 2 ? 0 : 1;
    }
}

/* --- worksharing inside one region */

#define LOOP_CASE(name, kind, count)                                       \
    static void name(long iterations) {                                    \
        _Pragma("omp parallel") for (long i = 0; i < iterations; ++i) {    \
            _Pragma(kind) for (long k = 0; k < (count); ++k) { sink = k; } \
        }                                                                  \
    }

LOOP_CASE(for_static, "omp for schedule(static)", width)
LOOP_CASE(for_dynamic, "omp for schedule(dynamic)", width)
LOOP_CASE(for_guided, "omp for schedule(guided)", width)
LOOP_CASE(for_dynamic_fine, "omp for schedule(dynamic)", fine_width)

static void barrier(long iterations) {
#pragma omp parallel
    for (long i = 0; i < iterations; ++i) {
#pragma omp barrier
    }
}

static void single(long iterations) {
#pragma omp parallel
    for (long i = 0; i < iterations; ++i) {
#pragma omp single
        sink = i;
    }
}

static void critical(long iterations) {
    long count = 0;
#pragma omp parallel
    for (long i = 0; i < iterations; ++i) {
#pragma omp critical
        ++count;
    }
    omp_checked += count == iterations * omp_get_max_threads() ? 0 : 1;
}

static void ordered(long iterations) {
    long next = 0;
#pragma omp parallel for ordered schedule(dynamic)
    for (long i = 0; i < iterations; ++i) {
#pragma omp ordered
        next += next == i;
    }
    omp_checked += next == iterations ? 0 : 1;
}

/* --- tasks */

static void tasks_single(long iterations) {
    for (long i = 0; i < iterations; ++i) {
#pragma omp parallel
#pragma omp single
        for (int k = 0; k < tasks; ++k) {
#pragma omp task
            sink = k;
        }
    }
}

static void tasks_all(long iterations) {
    for (long i = 0; i < iterations; ++i) {
#pragma omp parallel
        for (int k = omp_get_thread_num(); k < tasks; k += omp_get_num_threads()) {
#pragma omp task
            sink = k;
        }
    }
}

static void taskloop(long iterations) {
    for (long i = 0; i < iterations; ++i) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(loop_tasks)
        for (int k = 0; k < loop_tasks; ++k) {
            sink = k;
        }
    }
}

static long fib(int n) {
    long a, b;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void fib_tasks(long iterations) {
    for (long i = 0; i < iterations; ++i) {
        long found = 0;
#pragma omp parallel
#pragma omp single
        found = fib(fib_n);
        omp_checked += found == 6765 ? 0 : 1;
    }
}

const struct omp_case omp_cases[] = {
    {"nested-8x8", "a region of 8 threads, each with a region of 8", 1, nested},
    {"tasks-single", "one of 1,000 empty tasks that one thread creates, region included", tasks,
     tasks_single},
    {"tasks-all", "one of 1,000 empty tasks that all threads create, region included", tasks,
     tasks_all},
    {"fib", "one of the 21,890 tasks of fib(20), a taskwait to each two, no cut-off", 21890,
     fib_tasks},
    {"taskloop", "one of the 100 tasks of a taskloop, region included", loop_tasks, taskloop},
    {"parallel", "an empty region", 1, parallel},
    {"for-static", "a loop of 16 empty iterations with its barrier", 1, for_static},
    {"for-dynamic", "the same, schedule(dynamic)", 1, for_dynamic},
    {"for-guided", "the same, schedule(guided)", 1, for_guided},
    {"for-dynamic-fine", "an iteration of a loop of 1,024, schedule(dynamic)", fine_width,
     for_dynamic_fine},
    {"barrier", "a barrier", 1, barrier},
    {"single", "a single with its barrier", 1, single},
    {"reduction", "a region with a loop of 16 iterations and a sum", 1, reduction},
    {"critical", "a pass of every thread through one critical region", 1, critical},
    {"ordered", "an iteration of a dynamic loop that is all ordered", 1, ordered},
};
const int omp_case_count = sizeof omp_cases / sizeof *omp_cases;
