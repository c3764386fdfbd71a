// SPDX-License-Identifier: BSD-3-Clause
// Trees of tasks: with taskwait, with taskgroups, left to the barrier, with dependences; and events
// from another thread.
#include <omp.h>
#include <pthread.h>

#include "check.h"

static int fib(int n) {
    int a = 0;
    int b = 0;
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

static void leave_children(int depth, int* count) {
#pragma omp atomic
    ++*count;
    for (int i = 0; depth > 0 && i < 2; ++i) {
#pragma omp task
        leave_children(depth - 1, count);
    }
}

static void in_order(void) {
    int value = 0;
    for (int i = 0; i < 100; ++i) {
#pragma omp task depend(inout : value) shared(value)
        value = value * 3 % 1000003 + i;
    }
#pragma omp taskwait
    int expected = 0;
    for (int i = 0; i < 100; ++i) {
        expected = expected * 3 % 1000003 + i;
    }
    CHECK(value == expected);
}

static void* fulfill(void* event) {
    omp_fulfill_event(*(omp_event_handle_t*)event);
    return NULL;
}

static void await_event(void) {
    omp_event_handle_t event;
    pthread_t other;
    int done = 0;
#pragma omp task detach(event) depend(out : done)
    {
    }
#pragma omp task depend(in : done) shared(done)
    done = 1;
    CHECK(pthread_create(&other, NULL, fulfill, &event) == 0);
#pragma omp taskwait
    CHECK(done == 1);
    pthread_join(other, NULL);
}

int main(void) {
    for (int round = 0; round < 20; ++round) {
        int left = 0;
        int result = 0;
#pragma omp parallel
        {
#pragma omp single nowait
            {
                result = fib(18);
                in_order();
                await_event();
            }
#pragma omp single nowait
            leave_children(9, &left);
#pragma omp single
            {
                int grouped = 0;
#pragma omp taskgroup
                leave_children(7, &grouped);
                CHECK(grouped == 255);
            }
        }
        CHECK(result == 2584 && left == 1023);
    }
    return 0;
}
