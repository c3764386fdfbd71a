// SPDX-License-Identifier: BSD-3-Clause
// Teams of one thread, also inside others: their tasks are deferred, and each clause, wait and
// routine does for them what it does elsewhere.
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "with_environment.h"

enum { many = 300, most_waiting = 64 };
static volatile int no = 0;

static int read_now(const int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static void write_now(int* flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELEASE); }

// The creator goes on where its tasks wait for it by giving way, and ends their wait.
static void check_yielding_tasks(void) {
    int go = 0;
    int done = 0;
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(go, done)
        {
            while (!read_now(&go)) {
#pragma omp taskyield
            }
            ++done;
        }
    }
    CHECK(done == 0);
    write_now(&go, 1);
#pragma omp taskwait
    CHECK(done == many);
}

// An untied task may give way to any other one.
static void check_untied_tasks(void) {
    int last = 0;
    int done = 0;
#pragma omp task untied shared(last, done)
    {
        while (!read_now(&last)) {
#pragma omp taskyield
        }
        ++done;
    }
    for (int i = 0; i < many; ++i) {
#pragma omp task untied shared(last, done) firstprivate(i)
        {
            if (i == many - 1) {
                write_now(&last, 1);
            }
            ++done;
        }
    }
#pragma omp taskwait
    CHECK(done == many + 1);
}

// One task has a lock, which others want, and gives way.
static void check_locks_of_tasks(void) {
    omp_lock_t lock;
    int done = 0;
    omp_init_lock(&lock);
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(lock, done)
        {
            omp_set_lock(&lock);
#pragma omp taskyield
            ++done;
            omp_unset_lock(&lock);
        }
    }
#pragma omp taskwait
    CHECK(done == many);
    omp_destroy_lock(&lock);
}

static void* fulfil_late(void* event) {
    usleep(20000);
    omp_fulfill_event(*(omp_event_handle_t*)event);
    return NULL;
}

// One task is detached, and a thread outside OpenMP fulfils its event. Plain tasks are created
// before and after it.
static void check_foreign_fulfilment(void) {
    int done = 0;
    omp_event_handle_t event;
    pthread_t other;
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
        ++done;
    }
#pragma omp task detach(event) shared(done)
    ++done;
    CHECK(pthread_create(&other, NULL, fulfil_late, &event) == 0);
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
        ++done;
    }
#pragma omp taskwait
    CHECK(done == 21);
    CHECK(pthread_join(other, NULL) == 0);
}

// A task that was deferred fulfils the event for which its creator waits. The creator may wait
// actively for any time.
static void check_fulfilment_by_task(void) {
    int begun = 0;
    omp_event_handle_t event;
#pragma omp task untied shared(begun, event)
    {
        while (!read_now(&begun)) {
#pragma omp taskyield
        }
        omp_fulfill_event(event);
    }
#pragma omp task detach(event) if (no) shared(begun)
    write_now(&begun, 1);
#pragma omp taskwait
}

static void check_dependences(void) {
    int value = 0;
    int others = 0;
    int wrong = 0;
    for (int i = 0; i < many; ++i) {
#pragma omp task depend(inout : value) shared(value, wrong) firstprivate(i)
        {
            wrong += value != i;
            ++value;
        }
#pragma omp task shared(others)
        ++others;
    }
#pragma omp taskwait depend(in : value)
    CHECK(value == many);
#pragma omp taskwait
    CHECK(wrong == 0 && others == many);
}

static void check_groups(void) {
    int before = 0;
    int inside = 0;
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(before)
        ++before;
    }
#pragma omp taskgroup
    {
#pragma omp task shared(inside)
        for (int i = 0; i < 20; ++i) {
#pragma omp task shared(inside)
            ++inside;
        }
    }
    CHECK(inside == 20);
#pragma omp taskwait
    CHECK(before == 20);
}

// Those outside the group run.
static void check_cancelled_group(void) {
    int before = 0;
    int inside = 0;
    int behind = 0;
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(before)
        ++before;
    }
#pragma omp taskgroup
    {
#pragma omp task if (no)
        {
#pragma omp cancel taskgroup
        }
        for (int i = 0; i < 20; ++i) {
#pragma omp task shared(inside)
            ++inside;
        }
    }
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(behind)
        ++behind;
    }
#pragma omp taskwait
    CHECK(before == 20 && inside == 0 && behind == 20);
}

static void check_reductions(void) {
    long sum = 0;
    long looped = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < many; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
    }
#pragma omp taskloop reduction(+ : looped) grainsize(3)
    for (int i = 0; i < many; ++i) {
        looped += i;
    }
    CHECK(sum == many * (many - 1L) / 2 && looped == sum);
}

static void check_loops(void) {
    int count[many] = {0};
#pragma omp taskloop nogroup grainsize(1) shared(count)
    for (int i = 0; i < many; ++i) {
        ++count[i];
    }
#pragma omp taskwait
    for (int i = 0; i < many; ++i) {
        CHECK(count[i] == 1);
    }
}

static int own;
#pragma omp threadprivate(own)

static void check_identity(void) {
    int wrong = 0;
    int* const here = &own;
    const int number = omp_get_thread_num();
    const int level = omp_get_level();
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(wrong) firstprivate(here, number, level)
        wrong += &own != here || omp_get_thread_num() != number || omp_get_num_threads() != 1 ||
                 omp_get_level() != level || omp_in_final();
    }
#pragma omp taskwait
    CHECK(wrong == 0);
}

// At least so many have run as over libgomp, where no more than 64 for each thread wait.
static void check_throttling(void) {
    int done = 0;
    for (int i = 0; i < 10000; ++i) {
#pragma omp task shared(done)
        ++done;
        CHECK(i + 1 - done <= most_waiting + 1);
    }
#pragma omp taskwait
    CHECK(done == 10000);
}

static void check_inner_regions(void) {
    int done = 0;
    for (int i = 0; i < 40; ++i) {
#pragma omp task shared(done) firstprivate(i)
        {
#pragma omp parallel num_threads(1 + i % 2)
#pragma omp single
            {
#pragma omp task shared(done)
#pragma omp atomic
                ++done;
            }
        }
    }
#pragma omp taskwait
    CHECK(done == 40);
}

static void check_all(void) {
    check_yielding_tasks();
    check_untied_tasks();
    check_locks_of_tasks();
    check_foreign_fulfilment();
    check_fulfilment_by_task();
    check_dependences();
    check_groups();
    check_cancelled_group();
    check_reductions();
    check_loops();
    check_identity();
    check_throttling();
    check_inner_regions();
}

// At a barrier the urgent one goes first.
static void check_priority(void) {
    int ran = 0;
    int urgent_was = -1;
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < 20; ++i) {
#pragma omp task shared(ran)
            ++ran;
        }
#pragma omp task priority(5) shared(ran, urgent_was)
        urgent_was = ran++;
#pragma omp barrier
        CHECK(ran == 21);
    }
    CHECK(urgent_was == 0);
}

// What waits is discarded, or has run; the region ends.
static void check_cancelled_region(void) {
    int done = 0;
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < 20; ++i) {
#pragma omp task shared(done)
            ++done;
        }
#pragma omp cancel parallel
        done = 1000;
    }
    CHECK(done == 0);
}

// No more than a call: there is no team that could run them later.
static void check_outside_regions(void) {
    int done = 0;
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(done)
        ++done;
        CHECK(done == i + 1);
    }
}

int main(int argc, char** argv) {
    (void)argc;
    start_again_with("OMP_CANCELLATION", "true", argv);
    start_again_with("OMP_MAX_TASK_PRIORITY", "10", argv);
    start_again_with("GOMP_SPINCOUNT", "infinite", argv);
    check_outside_regions();
    for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(1)
        check_all();
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(1)
        check_all();
        check_priority();
        check_cancelled_region();
    }
    return 0;
}
