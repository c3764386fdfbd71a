// SPDX-License-Identifier: BSD-3-Clause
// The Concert door: messages that cause messages, counted; all have run when the ranks are quiet.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <lazult/lazult.hpp>
#include <lazult_concert.hpp>

#include <utility>

#include "tools/soak/load.hpp"

namespace {

using lazult::soak::generator;
using lazult::soak::load;
namespace concert = lazult::concert;

std::uint64_t over_ranks(std::uint64_t mine) {
    std::uint64_t sum = 0;
    PMPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    concert::session world;
    load all("concert", argc, argv);
    std::uint64_t received = 0;
    const concert::handler<std::uint64_t, std::uint32_t>* self = nullptr;
    const concert::handler<std::uint64_t, std::uint32_t> hop(
        "hop", [&](int source, std::uint64_t seed, std::uint32_t hops) {
            ++received;
            if (hops != 0) {
                generator mine(seed);
                self->send(static_cast<int>(mine.below(static_cast<unsigned>(world.size()))),
                           mine.next(), hops - 1);
            }
            static_cast<void>(source);
        });
    self = &hop;
    for (;;) {
        int goes_on = all.next_round() ? 1 : 0;
        PMPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);  // rank 0's clock decides for all
        if (goes_on == 0) {
            break;
        }
        generator random(all.seed());
        const unsigned messages = 1 + random.below(500);
        const unsigned hops = random.below(8);
        for (unsigned i = 0; i < messages; ++i) {
            hop.send(static_cast<int>(random.below(static_cast<unsigned>(world.size()))),
                     random.next(), hops);
        }
        world.quiesce();
        const std::uint64_t mine = std::exchange(received, 0);
        all.expect(over_ranks(mine),
                   std::uint64_t{messages} * (hops + 1) * static_cast<unsigned>(world.size()),
                   "messages received by all ranks");
        all.count(mine);
    }
}
