// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <vector>

namespace mpi_cases {
namespace {

constexpr int many = 2000;

bool is_sender() { return rank() % 2 == 0; }

int send_by(int mode, const int* value, int tag) {
    switch (mode) {
        case 0: return MPI_Send(value, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD);
        case 1: return MPI_Ssend(value, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD);
        default: return MPI_Rsend(value, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD);
    }
}

}  // namespace

// On one stream, nobody gets on unless those that wait make way.
void reverse_order() {
    in_units(many, [](int i) {
        if (is_sender()) {
            const int value = i * 3;
            check_equal(MPI_Ssend(&value, 1, MPI_INT, partner(), i, MPI_COMM_WORLD), MPI_SUCCESS,
                        "a send");
            return;
        }
        const int tag = many - 1 - i;
        int value = -1;
        MPI_Status status;
        check_equal(MPI_Recv(&value, 1, MPI_INT, partner(), tag, MPI_COMM_WORLD, &status),
                    MPI_SUCCESS, "a receive");
        check_equal(value, tag * 3, "the value");
        check_equal(status.MPI_SOURCE, partner(), "the source");
        check_equal(status.MPI_TAG, tag, "the tag");
        int received = 0;
        MPI_Get_count(&status, MPI_INT, &received);
        check_equal(received, 1, "the count");
    });
}

// Over all ranks together. Each pair's come in the order in which they were sent, and none is lost.
void million_messages() {
    constexpr int pairs = 50;
    const int each = 1'000'000 / (pairs * size());
    const int right = (rank() + 1) % size();
    const int left = (rank() + size() - 1) % size();
    long received = 0;
    in_units(2 * pairs, [&](int u) {
        const int tag = u / 2;
        for (int i = 0; i < each; ++i) {
            // nobody runs far ahead: MPICH searches what was not received yet from its beginning
            if (u % 2 == 0) {
                const auto send = i % 16 == 15 ? MPI_Ssend : MPI_Send;
                send(&i, 1, MPI_INT, right, tag, MPI_COMM_WORLD);
                continue;
            }
            int value = -1;
            MPI_Recv(&value, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check_equal(value, i, "the next value of its sender");
            ++received;  // all of one stream
        }
    });
    long all = 0;
    MPI_Allreduce(&received, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check_equal(all, 1'000'000, "what was received");
}

// Also those that are long, which no library buffers.
void all_modes() {
    constexpr int words = 100'000;
    in_units(3, [](int mode) {
        int value = mode + 7;
        if (is_sender()) {
            char ready = 0;
            MPI_Recv(&ready, 1, MPI_CHAR, partner(), 100 + mode, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check_equal(send_by(mode, &value, mode), MPI_SUCCESS, "a send");
            return;
        }
        int received = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&received, 1, MPI_INT, partner(), mode, MPI_COMM_WORLD, &request);
        MPI_Send("", 1, MPI_CHAR, partner(), 100 + mode, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(request == MPI_REQUEST_NULL, "a request that is done is null");
        check_equal(received, value, "the value");
    });
    in_units(8, [](int i) {
        std::vector<int> words_sent(words, i);
        std::vector<int> words_received(words, -1);
        if (is_sender()) {
            MPI_Send(words_sent.data(), words, MPI_INT, partner(), i, MPI_COMM_WORLD);
            return;
        }
        MPI_Recv(words_received.data(), words, MPI_INT, partner(), 7 - i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        check(words_received == std::vector<int>(words, 7 - i),
              "what was received is what was sent");
    });
    MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Recv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    check_equal(status.MPI_SOURCE, MPI_PROC_NULL, "the source");
}

void probes() {
    constexpr int each_kind = 300;
    in_units(2 * each_kind, [](int i) {
        if (is_sender()) {
            const std::vector<int> values(static_cast<std::size_t>(i % 50 + 1), i);
            MPI_Send(values.data(), static_cast<int>(values.size()), MPI_INT, partner(), i,
                     MPI_COMM_WORLD);
            return;
        }
        const int tag = 2 * each_kind - 1 - i;
        MPI_Status status;
        MPI_Message message = MPI_MESSAGE_NULL;
        const bool matched = tag % 2 == 0;
        if (matched) {
            MPI_Mprobe(partner(), tag, MPI_COMM_WORLD, &message, &status);
        } else {
            MPI_Probe(partner(), tag, MPI_COMM_WORLD, &status);
        }
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        check_equal(count, tag % 50 + 1, "the probed count");
        std::vector<int> values(static_cast<std::size_t>(count), -1);
        if (matched) {
            MPI_Mrecv(values.data(), count, MPI_INT, &message, MPI_STATUS_IGNORE);
            check(message == MPI_MESSAGE_NULL, "a message that was received is null");
        } else {
            MPI_Recv(values.data(), count, MPI_INT, partner(), tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
        check(values == std::vector<int>(static_cast<std::size_t>(count), tag), "the values");
    });
}

// A ULT on each side of each ring, started in opposite orders.
void exchanges() {
    constexpr int rings = 200;
    const int right = (rank() + 1) % size();
    const int left = (rank() + size() - 1) % size();
    in_units(rings, [&](int i) {
        const int tag = rank() % 2 == 0 ? i : rings - 1 - i;
        const int mine = rank() * 1000 + tag;
        int theirs = -1;
        MPI_Status status;
        MPI_Sendrecv(&mine, 1, MPI_INT, right, tag, &theirs, 1, MPI_INT, left, tag, MPI_COMM_WORLD,
                     &status);
        check_equal(theirs, left * 1000 + tag, "the exchanged value");
        check_equal(status.MPI_SOURCE, left, "the source");
        int both[2] = {mine, -mine};
        MPI_Sendrecv_replace(both, 2, MPI_INT, right, tag, left, tag, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        check_equal(both[0], left * 1000 + tag, "the replaced value");
        check_equal(both[1], -both[0], "the replaced value");
    });
    int alone = 5;
    MPI_Status status;
    MPI_Sendrecv_replace(&alone, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                         &status);
    check_equal(alone, 5, "what came from nobody");
    check_equal(status.MPI_SOURCE, MPI_PROC_NULL, "the source that nobody is");
}

// Two ULTs of one stream, each of which waits for the other.
void large_counts() {
#if MPI_VERSION >= 4
    in_units(2, [](int u) {
        const int word = 100 + u;
        int theirs = -1;
        MPI_Sendrecv_c(&word, 1, MPI_INT, rank(), u, &theirs, 1, MPI_INT, rank(), 1 - u,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check_equal(theirs, 101 - u, "the exchanged value");
        MPI_Sendrecv_replace_c(&theirs, 1, MPI_INT, rank(), u, rank(), 1 - u, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE);
        check_equal(theirs, 100 + u, "the replaced value");
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv_c(&theirs, 1, MPI_INT, rank(), 10 + u, MPI_COMM_WORLD, &request);
        MPI_Send_c(&word, 1, MPI_INT, rank(), 11 - u, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check_equal(theirs, 101 - u, "the received value");
    });
    in_units(1, [](int) {
        int words[2] = {-1, -1};
        MPI_Win win = MPI_WIN_NULL;
        MPI_Win_create_c(words, sizeof words, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_free(&win);
    });
#endif
}

}  // namespace mpi_cases
