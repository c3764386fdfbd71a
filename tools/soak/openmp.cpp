// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP door, as gcc's programs use it: regions, loops, tasks, dependences, locks.
#include <omp.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tools/soak/load.hpp"

namespace {

using lazult::soak::generator;
using lazult::soak::load;

void loops(load& all, generator& random) {
    const int count = 100 + static_cast<int>(random.below(20'000));
    constexpr std::array kinds{omp_sched_static, omp_sched_dynamic, omp_sched_guided};
    omp_set_schedule(kinds[random.below(kinds.size())], 1 + static_cast<int>(random.below(32)));
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(1 + count % 5)
    for (int i = 0; i < count; ++i) {
        sum += static_cast<std::uint64_t>(i);
    }
    const auto n = static_cast<std::uint64_t>(count);
    all.expect(sum, n * (n - 1) / 2, "sum of a loop");
    all.count(n);
}

std::uint64_t fib(unsigned n) {
    if (n < 2) {
        return n;
    }
    std::uint64_t a = 0;
    std::uint64_t b = 0;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

void tasks(load& all, generator& random) {
    constexpr std::array<std::uint64_t, 4> values{55, 89, 144, 233};
    const unsigned drawn = random.below(values.size());
    std::uint64_t got = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    got = fib(10 + drawn);
    all.expect(got, values[drawn], "a tree of tasks");
    all.count(values[drawn]);
}

// The creators of tasks, their runners and the waiters come to the barriers in every order, with
// more threads than processors.
void tasks_at_barriers(load& all, generator& random) {
    const int threads = 2 + static_cast<int>(random.below(4));
    const int few = 1 + static_cast<int>(random.below(8));
    constexpr int rounds = 100;
    std::uint64_t done = 0;
    std::uint64_t early = 0;
#pragma omp parallel num_threads(threads)
    for (int round = 1; round <= rounds; ++round) {
#pragma omp single
        for (int i = 0; i < few; ++i) {
#pragma omp task
#pragma omp atomic
            ++done;
        }
        if (done != static_cast<std::uint64_t>(round * few)) {
#pragma omp atomic
            ++early;
        }
#pragma omp barrier
    }
    all.expect(early, 0, "threads that passed a barrier before its tasks");
    all.expect(done, static_cast<std::uint64_t>(rounds * few), "tasks before barriers");
    all.count(done);
}

void dependences(load& all, generator& random) {
    const int count = 10 + static_cast<int>(random.below(200));
    std::uint64_t chain = 0;
    std::uint64_t out_of_order = 0;
#pragma omp parallel num_threads(2 + count % 3)
#pragma omp single
    for (int i = 0; i < count; ++i) {
#pragma omp task depend(inout : chain) shared(chain, out_of_order) firstprivate(i)
        {
            out_of_order += chain != static_cast<std::uint64_t>(i) ? 1 : 0;
            ++chain;
        }
    }
    all.expect(chain, static_cast<std::uint64_t>(count), "tasks of a chain");
    all.expect(out_of_order, 0, "tasks out of order");
    all.count(chain);
}

void nested(load& all, generator& random) {
    const int outer = 2 + static_cast<int>(random.below(3));
    const int inner = 2 + static_cast<int>(random.below(4));
    std::uint64_t sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer)
    {
        std::uint64_t mine = 0;
#pragma omp parallel num_threads(inner) reduction(+ : mine)
        {
            mine += 1;
#pragma omp barrier
            mine += 1;
        }
#pragma omp critical(soak_sum)
        sum += mine;
    }
    all.expect(sum, static_cast<std::uint64_t>(2 * outer * inner), "threads of nested regions");
    all.count(sum);
}

void locks(load& all, generator& random) {
    const int rounds = 20 + static_cast<int>(random.below(200));
    omp_lock_t lock;
    omp_init_lock(&lock);
    std::uint64_t locked = 0;
    std::uint64_t ordered = 0;
    std::uint64_t singles = 0;
#pragma omp parallel num_threads(4)
    {
        for (int i = 0; i < rounds; ++i) {
            omp_set_lock(&lock);
            ++locked;
            omp_unset_lock(&lock);
        }
#pragma omp for ordered schedule(dynamic, 3)
        for (int i = 0; i < rounds; ++i) {
#pragma omp ordered
            ordered += ordered == static_cast<std::uint64_t>(i) ? 1 : 0;
        }
        for (int i = 0; i < 10; ++i) {
#pragma omp single
            ++singles;
        }
    }
    omp_destroy_lock(&lock);
    all.expect(locked, static_cast<std::uint64_t>(4 * rounds), "turns under a lock");
    all.expect(ordered, static_cast<std::uint64_t>(rounds), "turns in order");
    all.expect(singles, 10, "single blocks");
    all.count(locked);
}

}  // namespace

int main(int argc, char** argv) {
    load all("openmp", argc, argv);
    // The largest teams first: their threads stay, and are no leak.
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(5)
#pragma omp parallel num_threads(5)
    all.count(1);
    constexpr std::array cases{loops, tasks, tasks_at_barriers, dependences, nested, locks};
    while (all.next_round()) {
        generator random(all.seed());
        for (int i = 0; i < 8; ++i) {
            cases[random.below(cases.size())](all, random);
        }
    }
}
