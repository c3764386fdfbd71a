// SPDX-License-Identifier: BSD-3-Clause
// What stays with a ULT that waits for answers of other ranks, with signals of a timer meanwhile:
// handlers run on its stream while it waits, and between its calls.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "harness.hpp"

#include <lazult/lazult.hpp>

#include <array>
#include <atomic>

#include "tests/support/unit_state.hpp"

using namespace lazult;
using namespace lazult::testing;

namespace {

constexpr int units = 8;

using semaphores = std::array<counting_semaphore<>, units>;
semaphores make_semaphores() {
    return {counting_semaphore<>(0), counting_semaphore<>(0), counting_semaphore<>(0),
            counting_semaphore<>(0), counting_semaphore<>(0), counting_semaphore<>(0),
            counting_semaphore<>(0), counting_semaphore<>(0)};
}

}  // namespace

int main() {
    runtime streams({.streams = 2});
    concert::session world;
    semaphores answered = make_semaphores();
    std::atomic<const char*> lost{nullptr};
    std::atomic<int> ended{0};
    concert::queue* current = nullptr;
    const concert::handler<int> answer("answer", [&](int, int unit) {
        try {
            throw unit;
        } catch (int caught) {
            answered[static_cast<std::size_t>(caught)].release();
        }
    });
    const concert::handler<int> ask(
        "ask", [&](int source, int unit) { answer.send(*current, source, unit); });
    const support::timer_signals signals;
    with_each_queue([&](concert::queue& queue, const configuration& how) {
        current = &queue;
        const int before = signals.taken();
        int goes_on = 1;
        for (int round = 0; goes_on != 0; ++round) {
            ended = 0;
            for (int unit = 0; unit < units; ++unit) {
                concert::spawn([&, unit] {
                    const auto suspend = [&] {
                        ask.send(queue, (world.rank() + unit + 1) % world.size(), unit);
                        concert::flush();
                        answered[static_cast<std::size_t>(unit)].acquire();
                    };
                    if (const char* mine =
                            support::lost_unit_state(unit, support::errno_promise::ours, suspend)) {
                        lost = mine;
                    }
                    ++ended;
                });
            }
            world.quiesce();
            CHECK(ended == units);
            if (lost != nullptr) {
                doing() += std::string(": lost ") + lost.load();
            }
            CHECK(lost == nullptr);
            int mine = round < (how.is_far() ? 0 : 2) || signals.taken() < before + 5 ? 1 : 0;
            PMPI_Allreduce(&mine, &goes_on, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        }
    });
    passed("per_unit_data");
    return 0;
}
