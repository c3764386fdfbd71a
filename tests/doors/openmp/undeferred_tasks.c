// SPDX-License-Identifier: BSD-3-Clause
// Tasks that run at once, on top of their creator, because of an if clause or in a final task: what
// they set is theirs, what they create may outlive them. (docs/openmp.md says what they cost, in
// instructions.)
#include <omp.h>

#include "check.h"

static volatile int no = 0;

static void own_variables(void) {
    const int threads = omp_get_max_threads();
#pragma omp task if (no)
    {
        omp_set_num_threads(threads + 3);
        CHECK(omp_get_max_threads() == threads + 3);
#pragma omp task if (no)
        CHECK(omp_get_max_threads() == threads + 3);
    }
    CHECK(omp_get_max_threads() == threads);
}

static void final_ones(void) {
    int deepest_level = 0;
    CHECK(!omp_in_final());
#pragma omp task final(1) shared(deepest_level)
    {
        CHECK(omp_in_final());
#pragma omp task shared(deepest_level)
        {
            CHECK(omp_in_final());
#pragma omp task shared(deepest_level)
            deepest_level = omp_in_final() ? 3 : 0;
        }
        CHECK(deepest_level == 3);  // they have run at once
    }
#pragma omp taskwait
    CHECK(deepest_level == 3);
    CHECK(!omp_in_final());
}

// Nobody waits for them but the taskgroup; their creators have ended, and so have these one's
// creators.
static void children_that_are_left(int depth, int* count) {
#pragma omp task if (no)
    {
        for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(depth)
            {
                if (depth > 0) {
                    children_that_are_left(depth - 1, count);
                }
#pragma omp atomic
                ++*count;
            }
        }
    }
}

static void with_dependences(void) {
    int value = 0;
#pragma omp task if (no) shared(value)
    {
#pragma omp task depend(out : value) shared(value)
        value = 1;
#pragma omp task depend(in : value) shared(value)
        CHECK(value == 1);
#pragma omp taskwait
    }
#pragma omp task depend(inout : value) shared(value)
    ++value;
#pragma omp task if (no) depend(in : value) shared(value)
    CHECK(value >= 1);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        int count = 0;
        own_variables();
        final_ones();
        with_dependences();
#pragma omp taskgroup
        children_that_are_left(7, &count);
        CHECK(count == 9840);  // 3 + 9 + ... + 3^8
    }
    return 0;
}
