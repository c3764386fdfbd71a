// SPDX-License-Identifier: BSD-3-Clause
// Units that never wait: created, run and joined on one stream.
#include <lazult/lazult.hpp>

#include <array>

#include "cases.hpp"

namespace {

constexpr int batch = 128;
long done;

double check(long rounds) {
    bench_check(done == rounds * batch, "how many units ran");
    return static_cast<double>(done);
}

double fork_join(long rounds) {
    std::array<lazult::thread, batch> threads;
    done = 0;
    for (long round = 0; round < rounds; ++round) {
        for (lazult::thread& t : threads) {
            t = lazult::thread([] { ++done; });
        }
        for (lazult::thread& t : threads) {
            t.join();
        }
    }
    return check(rounds);
}

double tasks(long rounds) {
    done = 0;
    for (long round = 0; round < rounds; ++round) {
        lazult::task_group group;
        for (int i = 0; i < batch; ++i) {
            group.run([] { ++done; });
        }
        group.wait();
    }
    return check(rounds);
}

constexpr int fib_argument = 20;
constexpr long fib_result = 6765;
constexpr double fib_units = 10945;  // fib(n + 1) - 1

template <bool child_first, class F>
lazult::thread start(F&& function) {
    if constexpr (child_first) {
        return lazult::thread(lazult::thread_attributes{.child_first = true}, function);
    } else {
        return lazult::thread(function);
    }
}

template <bool child_first>
long fib(int n) {
    if (n < 2) {
        return n;
    }
    long first = 0;
    lazult::thread child = start<child_first>([n, &first] { first = fib<child_first>(n - 1); });
    const long second = fib<child_first>(n - 2);
    child.join();
    return first + second;
}

template <bool child_first>
double fibs(long rounds) {
    for (long round = 0; round < rounds; ++round) {
        bench_check(fib<child_first>(fib_argument) == fib_result, "fib(20)");
    }
    return static_cast<double>(rounds) * fib_units;
}

}  // namespace

case_list forking_cases() {
    return {{"fork-join", "create and join a lazult::thread", 1, 4000, fork_join},
            {"task-group", "run and wait for a task of a task_group of 128", 1, 4000, tasks},
            {"fib-parent-first", "create and join in fib(20)", 1, 50, fibs<false>},
            {"fib-child-first", "create and join in fib(20), the child starts first", 1, 20,
             fibs<true>}};
}
