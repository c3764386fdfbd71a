// SPDX-License-Identifier: BSD-3-Clause
// A program on real ranks and the same on as many simulated ones: results are equal, and so is what
// the runtime has counted, but for `foreign`, which depends on timing.
#include "tests/doors/concert/harness.hpp"

#include <lazult_concert_objects.hpp>
#include <lazult_concert_simulation.hpp>

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::global_ptr;
using concert::method_counters;
using concert::on;
using concert::outcome;
using concert::run;

struct cell {
    long sum = 0;
    long add(long n) { return sum += n; }
    long value() const { return sum; }
};
using names = std::vector<global_ptr<cell>>;

// By rank: a simulated one shares its process with others.
std::array<names, 64> known;
names& mine() { return known[static_cast<std::size_t>(concert_rank())]; }
void learn(names all_cells) { mine() = std::move(all_cells); }

// The same draws on each kind of rank.
std::size_t drawn(std::int64_t i, int rank, std::size_t below) {
    const auto seed = static_cast<std::uint64_t>(i * 64 + rank + 1);
    return ((seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 40) % below;
}

outcome<void> add_three(std::int64_t i) {
    const global_ptr<cell> to = mine()[drawn(i, concert_rank(), mine().size())];
    return all(call(&cell::add, to, 1L), call(&cell::add, to, 2L), call(&cell::add, to, i))
        .then([](long, long, long) {});
}
outcome<void> add_many(std::int64_t n) { return concert::each(0, n, add_three); }

// Returns the sum of all cells on rank 0, and 0 elsewhere.
long program(int rank, int size, const std::function<void()>& quiesce) {
    if (rank == 0) {
        names cells;
        for (int r = 0; r < size; ++r) {
            cells.push_back(run(on(r, 0), concert::create<cell>));
        }
        for (int r = 0; r < size; ++r) {
            run(on(r, 0), learn, cells);
        }
    }
    quiesce();
    run(on(rank, 0), add_many, 50L);
    quiesce();
    long sum = 0;
    for (int r = 0; rank == 0 && r < size; ++r) {
        const global_ptr<cell> each = mine()[static_cast<std::size_t>(r)];
        sum += run(&cell::value, each);
        run(concert::destroy, each);
    }
    quiesce();
    return sum;
}

// The counters that do not depend on timing.
constexpr std::array fields{&method_counters::contexts,  &method_counters::heap_calls,
                            &method_counters::fallbacks, &method_counters::taken,
                            &method_counters::restarts,  &method_counters::sent_calls,
                            &method_counters::served,    &method_counters::served_later};
using counts = std::array<std::uint64_t, fields.size()>;

counts counts_of(const method_counters& m) {
    counts found{};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        found[i] = m.*fields[i];
    }
    return found;
}

bool says(const char* variable, const char* word) {
    const char* const value = std::getenv(variable);
    return value != nullptr && std::strcmp(value, word) == 0;
}

// What came of a program on real ranks, as far as rank 0 knows.
struct real_run {
    int rank = 0;
    int size = 0;
    long sum = 0;
    counts total{};
};

real_run run_really() {
    concert::session world;
    real_run found{world.rank(), world.size(), 0, {}};
    found.sum = program(found.rank, found.size, [&] { world.quiesce(); });
    const counts own = counts_of(concert::count_methods());
    MPI_Reduce(own.data(), found.total.data(), static_cast<int>(own.size()), MPI_UINT64_T, MPI_SUM,
               0, MPI_COMM_WORLD);
    return found;
}

void compare(const real_run& real) {
    const concert::simulated_version version{!says("LAZULT_CONCERT_CALLS", "heap"),
                                             !says("LAZULT_CONCERT_SCHEME", "push")};
    long sum = 0;
    const concert::simulated_run twin = concert::simulate(
        concert::machine::t3d(), real.size, version, [&](concert::simulated_rank& me) {
            // One rank runs at a time, and one has a sum.
            sum += program(me.rank(), me.size(), [&] { me.quiesce(); });
        });
    const counts simulated = counts_of(twin.sum.methods);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        std::printf("counter %zu: %lu, simulated %lu\n", i,
                    static_cast<unsigned long>(real.total[i]),
                    static_cast<unsigned long>(simulated[i]));
    }
    std::fflush(stdout);
    CHECK(real.sum == sum);
    CHECK(sum == real.size * (50 * 3 + 49 * 50 / 2));
    CHECK(real.total == simulated);
    std::printf("simulated twin: passed on %d ranks\n", real.size);
}

}  // namespace

int main() {
    setenv("LAZULT_CONCERT_SLICE", "0", 1);  // as on the simulated T3D
    setenv("LAZULT_STREAMS", "1", 1);  // a second stream would serve some calls in other strands
    const real_run real = run_really();
    if (real.rank == 0) {
        compare(real);
    }
}
