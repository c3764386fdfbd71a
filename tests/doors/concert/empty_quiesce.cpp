// SPDX-License-Identifier: BSD-3-Clause
// What quiesce() costs where nothing was sent: one sum over all ranks, which within a node is no
// call of MPI's; beside MPI_Barrier in turns. On more ranks than processors a barrier may take
// anything, so there it is only printed.
#include "harness.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>

using namespace lazult;
using namespace lazult::testing;

namespace {

constexpr int calls = 50;
int sums_by_mpi = 0;

template <class Call>
double microseconds_for(Call call) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
        call();
    }
    return (MPI_Wtime() - begin) / calls * 1e6;
}

void count_sums(concert::session& world) {
    world.quiesce();
    sums_by_mpi = 0;
    for (int i = 0; i < calls; ++i) {
        world.quiesce();
    }
    const bool is_one_node = std::getenv("LAZULT_CONCERT_NODE") == nullptr;
    CHECK(sums_by_mpi == (is_one_node ? 0 : calls));
}

}  // namespace

// In front of MPI's own, which is called behind it.
extern "C" int PMPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm, MPI_Request* request) {
    using function = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
    static const auto mpis = reinterpret_cast<function>(dlsym(RTLD_NEXT, "PMPI_Iallreduce"));
    ++sums_by_mpi;
    return mpis(from, to, count, type, op, comm, request);
}

int main() {
    concert::session world;
    std::uint64_t received = 0;
    const concert::handler<int> count("count", [&](int, int) { ++received; });
    count_sums(world);
    const int to = (world.rank() + 1) % world.size();
    double barrier = 1e9;
    double empty = 1e9;
    double with_message = 1e9;
    const int rounds = world.size() == 2 ? 10 : 1;
    for (int round = 0; round < rounds; ++round) {
        barrier = std::min(barrier, microseconds_for([] { MPI_Barrier(MPI_COMM_WORLD); }));
        empty = std::min(empty, microseconds_for([&] { world.quiesce(); }));
        with_message = std::min(with_message, microseconds_for([&] {
                                    count.send(to, 1);
                                    world.quiesce();
                                }));
    }
    CHECK(received == static_cast<std::uint64_t>(rounds * calls));
    if (world.rank() == 0) {
        std::printf("barrier %.1f us, quiesce %.1f us, a message and quiesce %.1f us\n", barrier,
                    empty, with_message);
    }
    if (world.size() == 2) {
        CHECK(empty < 5 * barrier + 5);
    }
    passed("empty_quiesce");
    return 0;
}
