// SPDX-License-Identifier: BSD-3-Clause
#include "apps/graph500/graph.hpp"

#include <mpi.h>

#include <numeric>

namespace lazult::graph500 {
namespace {

// Both directions of each edge, at the owner of where it begins.
std::vector<edge> at_their_owners(std::span<const edge> share, unsigned ranks) {
    std::vector<std::vector<edge>> outgoing(ranks);
    for (const edge& e : share) {
        if (e.from != e.to) {
            outgoing[e.from % ranks].push_back(e);
            outgoing[e.to % ranks].push_back({e.to, e.from});
        }
    }
    std::vector<int> send_counts;
    std::vector<edge> all;
    for (const std::vector<edge>& each : outgoing) {
        send_counts.push_back(static_cast<int>(each.size() * 2));
        all.insert(all.end(), each.begin(), each.end());
    }
    std::vector<int> counts(ranks);
    MPI_Alltoall(send_counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> send_places(ranks);
    std::vector<int> places(ranks);
    std::exclusive_scan(send_counts.begin(), send_counts.end(), send_places.begin(), 0);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    std::vector<edge> mine(static_cast<std::size_t>(std::reduce(counts.begin(), counts.end())) / 2);
    MPI_Alltoallv(all.data(), send_counts.data(), send_places.data(), MPI_UINT64_T, mine.data(),
                  counts.data(), places.data(), MPI_UINT64_T, MPI_COMM_WORLD);
    return mine;
}

}  // namespace

graph::graph(std::uint64_t vertices, std::span<const edge> share, unsigned rank, unsigned ranks)
    : vertices_(vertices), rank_(rank), ranks_(ranks) {
    const std::vector<edge> mine = at_their_owners(share, ranks);
    begins_.resize((vertices - rank + ranks - 1) / ranks + 1);
    for (const edge& e : mine) {
        ++begins_[local(e.from) + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    targets_.resize(mine.size());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (const edge& e : mine) {
        targets_[next[local(e.from)]++] = e.to;
    }
}

}  // namespace lazult::graph500
