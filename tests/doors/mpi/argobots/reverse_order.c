/* SPDX-License-Identifier: BSD-3-Clause */
/* The Argobots door's ULTs suspend in MPI too: 1,000 of them in MPI_Ssend against 1,000 in
 * MPI_Recv, in reverse order, on one
 *    execution stream; its tasklets cannot, and block as ever. */
#include <abt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { many = 1000 };

static int rank;

static void check(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "rank %d: %s does not hold\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void exchange(void* number) {
    const int i = (int)(intptr_t)number;
    if (rank % 2 == 0) {
        const int value = 3 * i;
        check(MPI_Ssend(&value, 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD) == MPI_SUCCESS, "a send");
        return;
    }
    int value = -1;
    const int tag = many - 1 - i;
    MPI_Recv(&value, 1, MPI_INT, rank ^ 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(value == 3 * tag, "the value");
}

static void meet(void* unused) {
    (void)unused;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    ABT_init(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ABT_xstream self;
    ABT_pool pool;
    ABT_xstream_self(&self);
    ABT_xstream_get_main_pools(self, 1, &pool);
    static ABT_thread threads[many];
    for (intptr_t i = 0; i < many; ++i) {
        check(ABT_thread_create(pool, exchange, (void*)i, ABT_THREAD_ATTR_NULL, &threads[i]) ==
                  ABT_SUCCESS,
              "a ULT is made");
    }
    for (int i = 0; i < many; ++i) {
        ABT_thread_free(&threads[i]);
    }
    ABT_task task;
    ABT_task_create(pool, meet, NULL, &task);
    ABT_task_free(&task);
    MPI_Finalize();
    ABT_finalize();
    return 0;
}
