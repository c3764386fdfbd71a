// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <atomic>

namespace mpi_cases {
namespace {

int class_of(int code) {
    int its = 0;
    MPI_Error_class(code, &its);
    return its;
}

std::atomic<int> handled{0};
std::atomic<int> class_handled{0};
MPI_Comm comm_handled = MPI_COMM_NULL;

void handle(MPI_Comm* comm, int* code, ...) {
    comm_handled = *comm;
    class_handled = class_of(*code);
    handled.fetch_add(1);
}

// Two words where there is space for one, to a ULT that has suspended by then.
template <class Receive>
void receive_too_much(MPI_Comm comm, int tag, Receive receive) {
    if (rank() % 2 == 0) {
        const int words[2] = {1, 2};
        MPI_Barrier(comm);
        MPI_Send(words, 2, MPI_INT, partner(), tag, comm);
        return;
    }
    lazult::task_group all;
    all.run([&] {
        int word = 0;
        receive(&word, tag);
    });
    all.run([&] { MPI_Barrier(comm); });
    all.wait();
}

// MPICH 4.0.2 gives these errors to MPI_COMM_WORLD's handler, without us too.
void waits_fail(MPI_Comm returning) {
    receive_too_much(returning, 2, [&](int* word, int tag) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(word, 1, MPI_INT, partner(), tag, returning, &request);
        check_equal(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE,
                    "the error of MPI_Wait");
    });
    receive_too_much(returning, 3, [&](int* word, int tag) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Recv_init(word, 1, MPI_INT, partner(), tag, returning, &request);
        MPI_Start(&request);
        check_equal(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE,
                    "the error of a persistent request");
        if (request != MPI_REQUEST_NULL) {  // Open MPI frees what failed
            MPI_Request_free(&request);
        }
    });
}

}  // namespace

// By the caller, once: not also by a stream that polls.
void probes_fail_once(MPI_Comm watched) {
    handled = 0;
    std::atomic<bool> probed{false};
    in_units(24, [&](int u) {
        int word = 0;
        if (u == 0) {
            MPI_Message message = MPI_MESSAGE_NULL;
            for (int i = 0; i < 20; ++i) {
                MPI_Probe(size() + 1, 0, watched, MPI_STATUS_IGNORE);
                MPI_Mprobe(size() + 1, 0, watched, &message, MPI_STATUS_IGNORE);
            }
            probed = true;
            MPI_Send(&word, 1, MPI_INT, rank(), 1, MPI_COMM_WORLD);
            return;
        }
        if (u == 1) {
            while (!probed) {
                lazult::this_thread::yield();
            }
            return;
        }
        // Waits that find nothing at first.
        MPI_Recv(&word, 1, MPI_INT, rank(), u - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&word, 1, MPI_INT, rank(), u, MPI_COMM_WORLD);
    });
    int last = 0;
    MPI_Recv(&last, 1, MPI_INT, rank(), 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_equal(handled.load(), 40, "how often the handler was called");
}

// MPI_COMM_WORLD's handler stays the default, which ends the job: the errors must not come to it.
void errors_reach_their_handlers() {
    MPI_Comm returning = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &returning);
    MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
    receive_too_much(returning, 1, [&](int* word, int tag) {
        const int code = MPI_Recv(word, 1, MPI_INT, partner(), tag, returning, MPI_STATUS_IGNORE);
        check_equal(class_of(code), MPI_ERR_TRUNCATE, "the error of MPI_Recv");
    });
    if (!is_mpich()) {
        waits_fail(returning);
    }
    in_units(1, [&](int) {
        int word = 0;
        check_equal(class_of(MPI_Send(&word, 1, MPI_INT, size(), 0, returning)), MPI_ERR_RANK,
                    "the error of a send to nobody");
        check_equal(class_of(MPI_Bcast(&word, 1, MPI_INT, size(), returning)), MPI_ERR_ROOT,
                    "the error of a wrong root");
        MPI_Comm never = MPI_COMM_NULL;
        const int dims[] = {size() + 1};
        const int periods[] = {0};
        check_equal(class_of(MPI_Sendrecv(&word, 1, MPI_INT, size(), 0, &word, 1, MPI_INT,
                                          MPI_PROC_NULL, 0, returning, MPI_STATUS_IGNORE)),
                    MPI_ERR_RANK, "the error of an exchange with nobody");
        check_equal(class_of(MPI_Sendrecv(&word, 1, MPI_INT, size(), 0, &word, 1, MPI_INT, rank(),
                                          0, returning, MPI_STATUS_IGNORE)),
                    MPI_ERR_RANK, "the error of an exchange with nobody");
        check(MPI_Cart_create(returning, 1, dims, periods, 0, &never) != MPI_SUCCESS,
              "a grid of more ranks than there are fails");
    });

    MPI_Comm watched = MPI_COMM_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &watched);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(watched, handler);
    receive_too_much(watched, 4, [&](int* word, int tag) {
        MPI_Recv(word, 1, MPI_INT, partner(), tag, watched, MPI_STATUS_IGNORE);
        check_equal(handled.load(), 1, "how often the handler was called");
        check_equal(class_handled.load(), MPI_ERR_TRUNCATE, "the error that the handler saw");
        check(comm_handled == watched, "the handler saw the caller's communicator");
    });
    probes_fail_once(watched);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&watched);
    MPI_Comm_free(&returning);
}

// MPI 1's MPI_Errhandler_set, which MPICH still has.
void errors_of_old_names() {
#ifdef MPICH_VERSION
    MPI_Comm returning = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &returning);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    MPI_Errhandler_set(returning, MPI_ERRORS_RETURN);
#pragma GCC diagnostic pop
    receive_too_much(returning, 1, [&](int* word, int tag) {
        const int code = MPI_Recv(word, 1, MPI_INT, partner(), tag, returning, MPI_STATUS_IGNORE);
        check_equal(class_of(code), MPI_ERR_TRUNCATE, "the error of MPI_Recv");
    });
    MPI_Comm_free(&returning);
#endif
}

namespace {

MPI_Errhandler handler_of(MPI_Comm comm) {
    MPI_Errhandler its = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &its);
    return its;
}

}  // namespace

// Communicators that are made while others wait, and MPI_COMM_WORLD, have the handler that the
// program gave them.
void handlers_stay() {
    MPI_Comm returning = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &returning);
    MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
    const int rounds = size() > 2 ? 40 : 200;  // ranks that spin on busy processors are slow
    in_units(2, [&](int u) {
        int word = 0;
        if (u == 0) {
            MPI_Recv(&word, 1, MPI_INT, rank(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return;
        }
        for (int i = 0; i < rounds; ++i) {
            MPI_Comm made = MPI_COMM_NULL;
            if (i % 2 == 0) {
                MPI_Comm_split(MPI_COMM_WORLD, 0, rank(), &made);
            } else {
                MPI_Comm_dup(MPI_COMM_WORLD, &made);
            }
            check(handler_of(made) == MPI_ERRORS_ARE_FATAL,
                  "a new communicator has its parent's handler");
            check(handler_of(MPI_COMM_WORLD) == MPI_ERRORS_ARE_FATAL,
                  "MPI_COMM_WORLD's handler stays");
            MPI_Comm_free(&made);
        }
        MPI_Send(&word, 1, MPI_INT, rank(), 1, MPI_COMM_WORLD);
    });
    check(handler_of(returning) == MPI_ERRORS_RETURN, "the handler that was set stays");
    MPI_Comm_free(&returning);
}

// A rank that dies while others wait for it: see died_test.py.
void wait_for_the_dead() {
    if (rank() == 1) {
        std::fprintf(stderr, "rank 1 dies\n");
        std::fflush(stderr);
        std::abort();
    }
    in_units(100, [](int i) {
        int value = 0;
        MPI_Recv(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
}

}  // namespace mpi_cases
