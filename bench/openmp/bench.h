/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases written to OpenMP itself, so that one source runs over every runtime. `lazult bench
 * openmp` starts the program. */
#ifndef LAZULT_BENCH_OPENMP_H
#define LAZULT_BENCH_OPENMP_H

struct omp_case {
    const char* name;
    const char* operation; /* what one is that the times are for */
    double per_iteration;  /* operations in an iteration */
    void (*run)(long iterations);
};

extern const struct omp_case omp_cases[];
extern const int omp_case_count;

/* Where the cases put what they compute; main() checks it. */
extern long omp_checked;

/* OS threads that the process has created by pthread_create(). */
long omp_threads_created(void);

#endif
