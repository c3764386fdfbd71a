// SPDX-License-Identifier: BSD-3-Clause
// A program of cases, each named on the command line and run by all ranks of a job.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <lazult/lazult.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mpi_cases {

inline int rank() {
    int mine = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    return mine;
}
// Ranks go in pairs.
inline int partner() { return rank() ^ 1; }

inline int size() {
    int all = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    return all;
}

inline bool is_mpich() {
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(name, &length);
    return std::strncmp(name, "MPICH", 5) == 0;
}

// Ends the job when it does not hold.
inline void check(bool holds, const char* what, int line = __builtin_LINE(),
                  const char* file = __builtin_FILE()) {
    if (!holds) {
        std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
        std::fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

inline void check_equal(long seen, long expected, const char* what, int line = __builtin_LINE(),
                        const char* file = __builtin_FILE()) {
    if (seen != expected) {
        std::fprintf(stderr, "%s:%d: %s is %ld and not %ld\n", file, line, what, seen, expected);
        std::fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

// Makes n ULTs, and waits for them.
template <class Body>
void in_units(int n, Body body) {
    lazult::task_group all;
    for (int i = 0; i < n; ++i) {
        all.run([&body, i] { body(i); });
    }
    all.wait();
}

void reverse_order();
void million_messages();
void all_modes();
void probes();
void waits_for_any();
void waits_for_all();
void answers_before_the_end();
void waits_for_all_though_one_fails();
void tests_that_keep_the_stream();
void exchanges();
void tests_in_a_loop();
void persistent_requests();

void collectives_at_once();
void every_collective();
void communicators_at_once();
void callers_of_all_kinds();
void forms_change_together();
void refused_calls_do_not_count();

void errors_reach_their_handlers();
void errors_of_old_names();
void handlers_stay();
void helpers_that_were_refused();
void large_counts();
void windows();
void files();
void levels();
void plain_threads();
void per_unit_data();
void chaos();
void wait_for_the_dead();
void computing_beside_waiting();

}  // namespace mpi_cases
