/* SPDX-License-Identifier: BSD-3-Clause */
/* A taskgroup waits in a team of one thread. A member that has given way creates another member
 * and ends. Then a task from outside the group, which has given way too, creates a task of its
 * own: that one may not start before the group has ended, and stands before the member. The
 * member must run all the same. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int member_is_made, member_has_run, outsider_has_run;

static void give_way(int times) {
    for (int i = 0; i < times; i++) {
#pragma omp taskyield
    }
}

static void outside_of_the_group(void) {
    for (int i = 0; i < 1000 && !member_is_made; i++) give_way(1);
#pragma omp task
    outsider_has_run = 1;
}

static void in_the_group(void) {
    give_way(6);
#pragma omp task
    member_has_run = 1;
    member_is_made = 1;
}

static void wait_for_the_group(void) {
#pragma omp taskgroup
    {
#pragma omp task
        in_the_group();
        give_way(1);
    }
    if (!member_has_run) {
        fprintf(stderr, "the group ended before its member\n");
        exit(1);
    }
}

int main(void) {
#pragma omp parallel num_threads(1)
    {
#pragma omp task
        outside_of_the_group();
        give_way(1);
#pragma omp task
        wait_for_the_group();
#pragma omp taskwait
    }
    return outsider_has_run ? 0 : 1;
}
