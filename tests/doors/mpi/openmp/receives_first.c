/* SPDX-License-Identifier: BSD-3-Clause */
/* More OpenMP tasks in blocking calls than there are threads: all receives are made before the
 * first send. By MPI_Recv, by MPI_Irecv and MPI_Wait, and with MPI_Ssend. Then collective calls by
 * the initial thread, by tasks, and by both on different ranks. */
#include <mpi.h>
#include <stdio.h>

enum { many = 200 };
enum mode { by_receive, by_request, by_synchronous_send, modes };

static void check(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "%s does not hold\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int receive(enum mode how, int from, int tag) {
    int value = -1;
    if (how == by_request) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return value;
}

static void send(enum mode how, int to, int tag) {
    if (how == by_synchronous_send) {
        MPI_Ssend(&tag, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
    } else {
        MPI_Send(&tag, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
    }
}

static long exchange(enum mode how, int to, int from) {
    long sum = 0;
    char order[many];
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < many; ++i) {
#pragma omp task firstprivate(i) shared(sum) depend(out : order[i])
            {
                const int value = receive(how, from, i);
#pragma omp atomic
                sum += value;
            }
#pragma omp task firstprivate(i) depend(in : order[i])
            {
                (void)order[i];
            }
        }
        for (int i = many - 1; i >= 0; --i) {
#pragma omp task firstprivate(i)
            send(how, to, i);
        }
#pragma omp taskwait
    }
    return sum;
}

static void add_up(int size) {
    const int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == size, "the sum");
}

static void add_up_by_task(int size) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
    add_up(size);
}

int main(int argc, char** argv) {
    int level = 0;
    int rank = 0;
    int size = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 20; ++i) {
        add_up(size);
    }
    for (enum mode how = 0; how < modes; ++how) {
        check(exchange(how, (rank + 1) % size, (rank + size - 1) % size) ==
                  (long)many * (many - 1) / 2,
              "what came");
    }
    for (int i = 0; i < 40; ++i) {
        if ((rank + i) % 2 == 0) {
            add_up_by_task(size);
        } else {
            add_up(size);
        }
    }
    MPI_Finalize();
    return 0;
}
