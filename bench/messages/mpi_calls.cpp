// SPDX-License-Identifier: BSD-3-Clause
// What MPI's own calls take between rank 0 and rank 1.
#include "bench/messages/measure.hpp"

namespace lazult::bench {
namespace {

constexpr int tag = 0;

void send(const std::byte* data, std::size_t bytes, int rank) {
    MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

void receive(std::byte* data, std::size_t bytes, int rank) {
    MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

void mpi_ping_pong(std::byte* data, std::size_t bytes, unsigned trips, mpi_figures& found) {
    const auto began = clock::now();
    for (unsigned trip = 0; trip < trips; ++trip) {
        if (concert_rank() == 0) {
            send(data, bytes, 1);
            receive(data, bytes, 1);
        } else {
            receive(data, bytes, 0);
            send(data, bytes, 0);
        }
    }
    if (concert_rank() == 0) {
        found.latency.push_back(ns_since(began) / trips / 2);
    }
}

// Rank 1 has asked for all messages before rank 0 sends the first one, and answers the last one.
void mpi_flood(std::byte* data, std::size_t bytes, unsigned messages, mpi_figures& found) {
    std::vector<MPI_Request> requests(messages);
    const int count = static_cast<int>(bytes);
    if (concert_rank() == 1) {
        for (MPI_Request& each : requests) {
            MPI_Irecv(data, count, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &each);
        }
        send(data, 0, 0);
        MPI_Waitall(static_cast<int>(messages), requests.data(), MPI_STATUSES_IGNORE);
        send(data, 0, 0);
        return;
    }
    receive(data, 0, 1);
    const auto began = clock::now();
    for (MPI_Request& each : requests) {
        MPI_Isend(data, count, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &each);
    }
    MPI_Waitall(static_cast<int>(messages), requests.data(), MPI_STATUSES_IGNORE);
    receive(data, 0, 1);
    found.flood.push_back(ns_since(began) / messages);
}

}  // namespace lazult::bench
