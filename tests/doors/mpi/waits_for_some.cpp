// SPDX-License-Identifier: BSD-3-Clause
// Waits for several requests where one of them fails, or is for the end only; and tests that keep
// the stream.
#include "cases.hpp"

#include <atomic>
#include <chrono>
#include <vector>

namespace mpi_cases {
namespace {

constexpr int end_tag = 5000;
constexpr int stop = -1;

// Sends what it gets back, until it gets `stop`; then tells so.
void echo(int tag) {
    for (int word = 0; word != stop;) {
        MPI_Recv(&word, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&word, 1, MPI_INT, partner(), word == stop ? end_tag + tag : tag, MPI_COMM_WORLD);
    }
}

void call_for_echoes(int tag, int rounds) {
    int ended = 0;
    // each stays until the end, as nobody waits for its request
    std::vector<int> sent(static_cast<std::size_t>(rounds));
    MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(&ended, 1, MPI_INT, partner(), end_tag + tag, MPI_COMM_WORLD, &both[1]);
    for (int round = 0; round < rounds; ++round) {
        int word = -2;
        MPI_Irecv(&word, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD, &both[0]);
        MPI_Request sending = MPI_REQUEST_NULL;
        int& mine = sent[static_cast<std::size_t>(round)];
        mine = round;
        MPI_Isend(&mine, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD, &sending);
        MPI_Request_free(&sending);
        int index = -1;
        if (round % 2 == 0) {
            MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
        } else {
            int found = 0;
            int indices[2] = {-1, -1};
            MPI_Waitsome(2, both, &found, indices, MPI_STATUSES_IGNORE);
            check_equal(found, 1, "how many are done");
            index = indices[0];
        }
        check_equal(index, 0, "the request that is done");
        check_equal(word, round, "the echo");
    }
    MPI_Send(&stop, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD);
    int index = -1;
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    check_equal(index, 1, "the request that is done at the end");
    check_equal(ended, stop, "the last word");
}

}  // namespace

// The message for the end comes only when all others were answered. A unit that misses one of their
// answers waits for ever. Other units always have something to run, and most waits find nothing at
// first.
void answers_before_the_end() {
    constexpr int units = 24;
    constexpr int rounds = 100;
    std::atomic<int> ended{0};
    in_units(units + 2, [&](int u) {
        if (u >= units) {
            while (ended.load() < units) {
                lazult::this_thread::yield();
            }
            return;
        }
        if (rank() % 2 == 0) {
            call_for_echoes(u, rounds);
        } else {
            echo(u);
        }
        ended.fetch_add(1);
    });
}

// The first receive fails long before the second one's message is sent. MPI_Waitall's buffers are
// the caller's when it returns.
void waits_for_all_though_one_fails() {
    if (is_mpich()) {  // which gives errors of waits to this one's handler
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    MPI_Comm returning = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &returning);
    MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
    for (const bool asks_for_statuses : {true, false}) {
        in_units(2, [&](int u) {
            if (rank() % 2 == 0) {
                if (u == 0) {
                    const int words[2] = {1, 2};
                    int go = 0;
                    MPI_Send(words, 2, MPI_INT, partner(), 1, returning);
                    MPI_Recv(&go, 1, MPI_INT, partner(), 3, returning, MPI_STATUS_IGNORE);
                    MPI_Send(&go, 1, MPI_INT, partner(), 2, returning);
                }
                return;
            }
            if (u == 1) {  // the other one waits, and its first request has failed
                lazult::this_thread::sleep_for(std::chrono::milliseconds(50));
                const int go = 4711;
                MPI_Send(&go, 1, MPI_INT, partner(), 3, returning);
                return;
            }
            int words[2] = {-1, -1};
            MPI_Request requests[2];
            MPI_Status statuses[2];
            MPI_Irecv(&words[0], 1, MPI_INT, partner(), 1, returning, &requests[0]);
            MPI_Irecv(&words[1], 1, MPI_INT, partner(), 2, returning, &requests[1]);
            const int code =
                MPI_Waitall(2, requests, asks_for_statuses ? statuses : MPI_STATUSES_IGNORE);
            check(code != MPI_SUCCESS, "a receive of too much fails");
            check_equal(words[1], 4711, "what the other receive got");
            check(requests[1] == MPI_REQUEST_NULL, "it is over");
            if (asks_for_statuses) {
                int its_class = 0;
                MPI_Error_class(statuses[0].MPI_ERROR, &its_class);
                check_equal(its_class, MPI_ERR_TRUNCATE, "the error of the one");
                check_equal(statuses[1].MPI_ERROR, MPI_SUCCESS, "the error of the other");
                check_equal(statuses[1].MPI_TAG, 2, "the tag of the other");
            }
        });
    }
    MPI_Comm_free(&returning);
}

// With LAZULT_MPI_YIELD=0, nobody else runs while one tests.
void tests_that_keep_the_stream() {
    bool tests = false;
    in_units(2, [&](int u) {
        if (u == 1) {
            check(!tests, "the one that tests keeps the stream");
            return;
        }
        int word = 0;
        int done = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&word, 1, MPI_INT, rank(), 1, MPI_COMM_WORLD, &request);
        tests = true;
        for (int i = 0; i < 100; ++i) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            check_equal(done, 0, "whether it is done");
        }
        tests = false;
        MPI_Send(&u, 1, MPI_INT, rank(), 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
}

}  // namespace mpi_cases
