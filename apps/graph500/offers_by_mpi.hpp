// SPDX-License-Identifier: BSD-3-Clause
// Offers by blocking MPI calls. An empty message from each of the others ends a level.
#pragma once

#include "apps/graph500/search.hpp"

#include <mpi.h>

#include <span>
#include <vector>

namespace lazult::graph500 {

class offers_by_mpi {
public:
    // Collective, as the destructor.
    offers_by_mpi() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
    ~offers_by_mpi() { MPI_Comm_free(&comm_); }
    offers_by_mpi(const offers_by_mpi&) = delete;
    offers_by_mpi& operator=(const offers_by_mpi&) = delete;

    void send(unsigned rank, std::span<const offer> offers) {
        MPI_Send(offers.data(), static_cast<int>(offers.size() * 2), MPI_UINT64_T,
                 static_cast<int>(rank), tag, comm_);
    }

    // Until so many others have ended the level. The longest message has `most` offers.
    void receive_level(tree& result, unsigned others, std::size_t most) {
        std::vector<offer> offers(most);
        while (others != 0) {
            MPI_Status status;
            int words = 0;
            MPI_Recv(offers.data(), static_cast<int>(most * 2), MPI_UINT64_T, MPI_ANY_SOURCE, tag,
                     comm_, &status);
            MPI_Get_count(&status, MPI_UINT64_T, &words);
            others -= words == 0 ? 1 : 0;
            for (int i = 0; i < words / 2; ++i) {
                result.claim(offers[static_cast<std::size_t>(i)]);
            }
        }
    }

    // Nobody sends for the next level what a receiver of this one would take.
    void end_level() { MPI_Barrier(comm_); }

private:
    static constexpr int tag = 5;

    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace lazult::graph500
