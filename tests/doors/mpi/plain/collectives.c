/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without ULTs: its blocking collective calls go straight to MPI. Counted; and, beside
 * MPI's own in turns, what a broadcast and an allreduce of 8 bytes take. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { calls = 1000, rounds = 5 };

static int sums_started;
static int broadcasts_started;

typedef int sum_function(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
typedef int broadcast_function(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*);

/* In front of MPI's own, which are called behind them. */
int PMPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
    sum_function* mpis;
    *(void**)&mpis = dlsym(RTLD_NEXT, "PMPI_Iallreduce");
    ++sums_started;
    return mpis(from, to, count, type, op, comm, request);
}

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                MPI_Request* request) {
    broadcast_function* mpis;
    *(void**)&mpis = dlsym(RTLD_NEXT, "PMPI_Ibcast");
    ++broadcasts_started;
    return mpis(buffer, count, type, root, comm, request);
}

static void check(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "%s: %d broadcasts and %d sums were nonblocking\n", what,
                broadcasts_started, sums_started);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static double min(double a, double b) { return a < b ? a : b; }

/* 0 and 1: a broadcast past the front end and through it. 2 and 3: a sum past it and through it. */
static double microseconds(int which) {
    double value = 1;
    double sum = 0;
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
        switch (which) {
            case 0: PMPI_Bcast(&value, 1, MPI_DOUBLE, i & 1, MPI_COMM_WORLD); break;
            case 1: MPI_Bcast(&value, 1, MPI_DOUBLE, i & 1, MPI_COMM_WORLD); break;
            case 2: PMPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
            default: MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
        }
    }
    return (MPI_Wtime() - begin) / calls * 1e6;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double best[4] = {1e9, 1e9, 1e9, 1e9};
    for (int round = 0; round < rounds; ++round) {
        for (int which = 0; which < 4; ++which) {
            best[which] = min(best[which], microseconds(which));
        }
    }
    if (rank == 0) {
        printf(
            "broadcast %.2f us, MPI's own %.2f (%.2f); allreduce %.2f us, MPI's own %.2f (%.2f)\n",
            best[1], best[0], best[1] / best[0], best[3], best[2], best[3] / best[2]);
    }
    check(broadcasts_started == 0, "plain broadcasts");
    check(sums_started < 100, "plain sums"); /* with which the ranks agree now and then */
    MPI_Finalize();
    return 0;
}
