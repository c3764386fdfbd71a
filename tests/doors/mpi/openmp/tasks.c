/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP tasks that call MPI suspend: 300 of them in MPI_Ssend against 300 in MPI_Recv, in
 * reverse order, on two threads. */
#include <mpi.h>
#include <stdio.h>

enum { many = 300 };

static void exchange(int rank, int i) {
    if (rank % 2 == 0) {
        const int value = 3 * i;
        MPI_Ssend(&value, 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD);
        return;
    }
    int value = -1;
    const int tag = many - 1 - i;
    MPI_Recv(&value, 1, MPI_INT, rank ^ 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (value != 3 * tag) {
        fprintf(stderr, "the value is %d and not %d\n", value, 3 * tag);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char** argv) {
    int rank = 0;
    int done = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < many; ++i) {
#pragma omp task firstprivate(i) shared(done)
        {
            exchange(rank, i);
#pragma omp atomic
            ++done;
        }
    }
    if (done != many) {
        fprintf(stderr, "%d tasks are done and not %d\n", done, many);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
