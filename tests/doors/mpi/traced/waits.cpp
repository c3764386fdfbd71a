// SPDX-License-Identifier: BSD-3-Clause
// A program of two ranks for tests/doors/mpi/trace_waits_test.py. On rank 0, ULTs wait in each way,
// one after the other; rank 1 is a plain thread that answers late. Rank 0 prints the words that its
// trace must have, one wait a line. With the argument "stop", it is one rank, and a debugger stops
// it while ULTs wait.
#include <mpi.h>
#include <lazult/lazult.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr int there = 1;        // the other rank
constexpr int large = 1 << 20;  // numbers that a send does not buffer
constexpr int quiet_tag = 99;   // of messages that start a step

// Rank 1 does its part of a step when rank 0 says that its ULT waits.
void expect_go() {
    int go = 0;
    MPI_Recv(&go, 1, MPI_INT, 0, quiet_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(2ms);
}

void answer(int tag) {
    expect_go();
    const int value = tag;
    MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

// A thread that runs beside the one that waits. A ULT that is alone on its stream tests where it
// is, and does not suspend.
template <class Wait>
void meet(Wait wait, const char* words) {
    bool is_over = false;
    lazult::thread waiter({.how = lazult::technique::lazy_stack}, [&] {
        wait();
        is_over = true;
    });
    lazult::this_thread::yield();
    const int go = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&go, 1, MPI_INT, there, quiet_tag, MPI_COMM_WORLD, &request);
    while (!is_over) {
        lazult::this_thread::yield();
    }
    waiter.join();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    std::puts(words);
}

int got = 0;
std::vector<int> much(large);

void receive(int source, int tag) {
    MPI_Recv(&got, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
MPI_Request started(int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&got, 1, MPI_INT, there, tag, MPI_COMM_WORLD, &request);
    return request;
}

void wait_in_each_way() {
    meet([] { receive(there, 7); }, "MPI_Recv from rank 1, tag 7 in MPI_COMM_WORLD");
    meet([] { receive(MPI_ANY_SOURCE, MPI_ANY_TAG); },
         "MPI_Recv from rank any, tag any in MPI_COMM_WORLD");
    meet([] { MPI_Ssend(much.data(), large, MPI_INT, there, 9, MPI_COMM_WORLD); },
         "MPI_Ssend to rank 1, tag 9 in MPI_COMM_WORLD");
    meet(
        [] {
            MPI_Request one = started(10);
            MPI_Wait(&one, MPI_STATUS_IGNORE);
        },
        "MPI_Wait, requests: 1");
    meet(
        [] {
            std::array<MPI_Request, 2> both{started(11), started(12)};
            MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
        },
        "MPI_Waitall, requests: 2");
    meet(
        [] {
            std::array<MPI_Request, 2> both{started(13), MPI_REQUEST_NULL};
            int index = 0;
            MPI_Waitany(2, both.data(), &index, MPI_STATUS_IGNORE);
        },
        "MPI_Waitany, requests: 1");
    meet([] { MPI_Probe(there, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE); },
         "MPI_Probe from rank 1, tag 14 in MPI_COMM_WORLD");
    receive(there, 14);
    meet(
        [] {
            MPI_Sendrecv(&there, 1, MPI_INT, there, 15, &got, 1, MPI_INT, there, 16, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        },
        "MPI_Sendrecv from rank 1, tag 16 in MPI_COMM_WORLD");
}

// Before the first call on a communicator, the ranks agree on the form of such calls.
void wait_for_collectives(MPI_Comm comm, MPI_Win win) {
    meet([comm] { MPI_Barrier(comm); }, "the door's MPI_Iallreduce in another communicator");
    meet([comm] { MPI_Bcast(&got, 1, MPI_INT, there, comm); }, "MPI_Bcast in another communicator");
    meet([win] { MPI_Win_fence(0, win); }, "MPI_Win_fence on a helper thread");
}

void answer_in_each_way() {
    answer(7);
    answer(8);
    expect_go();
    MPI_Recv(much.data(), large, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    answer(10);
    answer(11);
    const int value = 12;
    MPI_Send(&value, 1, MPI_INT, 0, 12, MPI_COMM_WORLD);
    answer(13);
    answer(14);
    expect_go();
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 16, &got, 1, MPI_INT, 0, 15, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

void answer_collectives(MPI_Comm comm, MPI_Win win) {
    expect_go();
    MPI_Barrier(comm);
    expect_go();
    MPI_Bcast(&got, 1, MPI_INT, there, comm);
    expect_go();
    MPI_Win_fence(0, win);
}

}  // namespace

extern "C" [[gnu::noinline]] void stop_here() { asm volatile("" ::: "memory"); }

namespace {

void stop_while_some_wait() {
    const lazult::runtime running(lazult::options{.streams = 1});
    lazult::thread receiver({.name = "receiver"}, [] { receive(MPI_ANY_SOURCE, 3); });
    lazult::thread prober({.name = "prober"},
                          [] { MPI_Probe(0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    for (int i = 0; i < 10; ++i) {
        lazult::this_thread::yield();  // until both wait
    }
    stop_here();
    for (const int tag : {3, 4}) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    receiver.join();
    prober.join();
    receive(0, 4);
}

void wait_in_turns(int rank) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win win = MPI_WIN_NULL;
    void* memory = nullptr;
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (rank == 0) {
        const lazult::runtime running(lazult::options{.streams = 1});
        wait_in_each_way();
        wait_for_collectives(comm, win);
    } else {
        answer_in_each_way();
        answer_collectives(comm, win);
    }
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    int rank = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (level != MPI_THREAD_MULTIPLE) {
        std::exit(3);
    }
    if (argc > 1) {
        stop_while_some_wait();
    } else {
        wait_in_turns(rank);
    }
    MPI_Finalize();
}
