// SPDX-License-Identifier: BSD-3-Clause
// The MPI door: many ULTs of each rank call MPI at once. All ranks draw the same rounds.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <lazult/lazult.hpp>

#include <array>
#include <atomic>
#include <vector>

#include "tools/soak/load.hpp"

namespace {

using lazult::soak::generator;
using lazult::soak::load;

int rank() {
    int mine = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine);
    return mine;
}
int ranks() {
    int all = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    return all;
}

// Each ULT sends to the next rank and receives from the one before, on a tag of its own.
void ring(load& all, generator& random) {
    const unsigned units = 1 + random.below(32);
    const int bytes = 8 << random.below(12);
    const int next = (rank() + 1) % ranks();
    const int before = (rank() + ranks() - 1) % ranks();
    std::atomic<std::uint64_t> wrong{0};
    lazult::task_group group;
    for (unsigned u = 0; u < units; ++u) {
        group.run([&, u] {
            const auto tag = static_cast<int>(u);
            std::vector<unsigned char> out(static_cast<std::size_t>(bytes),
                                           static_cast<unsigned char>(u + 1));
            std::vector<unsigned char> in(out.size());
            for (int i = 0; i < 10; ++i) {
                MPI_Request sending = MPI_REQUEST_NULL;
                MPI_Isend(out.data(), bytes, MPI_BYTE, next, tag, MPI_COMM_WORLD, &sending);
                MPI_Recv(in.data(), bytes, MPI_BYTE, before, tag, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Wait(&sending, MPI_STATUS_IGNORE);
                wrong.fetch_add(in == out ? 0 : 1);
            }
        });
    }
    group.wait();
    all.expect(wrong.load(), 0, "messages that came damaged");
    all.count(std::uint64_t{10} * units);
}

void collectives(load& all, generator& random) {
    const int count = 1 + static_cast<int>(random.below(1000));
    std::vector<long> values(static_cast<std::size_t>(count), rank() + 1);
    std::vector<long> sums(values.size());
    MPI_Allreduce(values.data(), sums.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const long wanted = static_cast<long>(ranks()) * (ranks() + 1) / 2;
    for (const long each : sums) {
        all.expect(static_cast<std::uint64_t>(each), static_cast<std::uint64_t>(wanted),
                   "a sum over ranks");
    }
    all.count(static_cast<std::uint64_t>(count));
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        load all("mpi", argc, argv);
        const lazult::runtime running({.streams = 2, .bind = lazult::bind_kind::off});
        constexpr std::array cases{ring, collectives};
        for (;;) {
            // Rank 0's clock decides for all.
            int goes_on = all.next_round() ? 1 : 0;
            PMPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
            if (goes_on == 0) {
                break;
            }
            generator random(all.seed());
            for (int i = 0; i < 4; ++i) {
                cases[random.below(cases.size())](all, random);
            }
        }
    }
    MPI_Finalize();
}
