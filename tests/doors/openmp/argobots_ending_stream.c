// SPDX-License-Identifier: BSD-3-Clause
// An execution stream of Argobots does not end under a ULT that is in a region, though all of the
// team wait for what comes from another stream, and nobody joins the ULT.
#include <abt.h>
#include <omp.h>
#include <unistd.h>

#include "check.h"

enum { team_size = 2 };

struct visit {
    ABT_eventual gate;
    int waiting;
    int over;
};

static void enter_region(void* argument) {
    struct visit* v = argument;
#pragma omp parallel num_threads(team_size)
    {
        __atomic_fetch_add(&v->waiting, 1, __ATOMIC_RELEASE);
        CHECK(ABT_eventual_wait(v->gate, NULL) == ABT_SUCCESS);
    }
    __atomic_store_n(&v->over, 1, __ATOMIC_RELEASE);
}

static void open_late(void* argument) {
    usleep(50000);
    CHECK(ABT_eventual_set(((struct visit*)argument)->gate, NULL, 0) == ABT_SUCCESS);
}

static ABT_xstream new_stream(ABT_pool* pool) {
    ABT_xstream made;
    CHECK(ABT_xstream_create(ABT_SCHED_NULL, &made) == ABT_SUCCESS);
    CHECK(ABT_xstream_get_main_pools(made, 1, pool) == ABT_SUCCESS);
    return made;
}

int main(int argc, char** argv) {
    CHECK(ABT_init(argc, argv) == ABT_SUCCESS);
    for (int round = 0; round < 5; ++round) {
        struct visit v = {ABT_EVENTUAL_NULL, 0, 0};
        CHECK(ABT_eventual_create(0, &v.gate) == ABT_SUCCESS);
        ABT_pool of_team;
        ABT_pool of_other;
        ABT_xstream team = new_stream(&of_team);
        ABT_xstream other = new_stream(&of_other);
        CHECK(ABT_thread_create(of_team, enter_region, &v, ABT_THREAD_ATTR_NULL, NULL) ==
              ABT_SUCCESS);
        while (__atomic_load_n(&v.waiting, __ATOMIC_ACQUIRE) != team_size) {
            usleep(100);
        }
        CHECK(ABT_thread_create(of_other, open_late, &v, ABT_THREAD_ATTR_NULL, NULL) ==
              ABT_SUCCESS);
        CHECK(ABT_xstream_free(&team) == ABT_SUCCESS);
        CHECK(__atomic_load_n(&v.over, __ATOMIC_ACQUIRE) == 1);
        CHECK(ABT_xstream_free(&other) == ABT_SUCCESS);
        CHECK(ABT_eventual_free(&v.gate) == ABT_SUCCESS);
    }
    CHECK(ABT_finalize() == ABT_SUCCESS);
    return 0;
}
