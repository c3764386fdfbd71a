// SPDX-License-Identifier: BSD-3-Clause
// Forks beside the same work by plain calls, in turns, in one process: medians, the least and the
// most.
#include <lazult/lazult.hpp>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "trees.hpp"

namespace {

double seconds_of(const std::function<long()>& calls, int times, long expected) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
        if (calls() != expected) {
            std::fputs("forks_bench: a wrong sum\n", stderr);
            std::exit(1);
        }
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
}

struct spread {
    double median;
    double least;
    double most;
};

spread spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values.front(), values.back()};
}

void measure(const forks::work& w, int rounds) {
    std::vector<double> plain;
    std::vector<double> forked;
    std::vector<double> ratio;
    const long expected = w.plain();
    const std::uint64_t before = lazult::statistics().created;
    for (int round = 0; round < rounds; ++round) {
        const bool plain_first = round % 2 == 0;
        const double one = seconds_of(plain_first ? w.plain : w.forked, w.calls, expected);
        const double two = seconds_of(plain_first ? w.forked : w.plain, w.calls, expected);
        plain.push_back(plain_first ? one : two);
        forked.push_back(plain_first ? two : one);
        ratio.push_back(forked.back() / plain.back());
    }
    const double units =
        static_cast<double>(lazult::statistics().created - before) / (rounds * w.calls);
    const spread p = spread_of(plain);
    const spread f = spread_of(forked);
    const spread r = spread_of(ratio);
    std::printf("%-22s %12.2f %12.2f %8.2f (%.2f to %.2f) %8.2f %10.1f\n", w.name.c_str(),
                p.median * 1e6, f.median * 1e6, r.median, r.least, r.most,
                (f.median - p.median) / w.forks * 1e9, units);
    std::fflush(stdout);
}

// The library binds its own threads, and leaves main where it is: that would sometimes be where
// another stream is bound.
void bind_main() {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    ::pthread_setaffinity_np(::pthread_self(), sizeof(first), &first);
}

// A number from 1 to `most`; 0 where the word is none.
int number_in(const char* word, int most) {
    const int number = std::atoi(word);
    return number <= most ? number : 0;
}

}  // namespace

int main(int argc, char** argv) {
    const int streams = argc > 1 ? number_in(argv[1], 1024) : 2;
    const int depth = argc > 2 ? number_in(argv[2], 28) : 22;
    const int rounds = argc > 3 ? number_in(argv[3], 1000) : 9;
    if (streams < 1 || depth < 2 || rounds < 1 || argc > 4) {
        std::fputs(
            "usage: forks_bench [STREAMS [DEPTH [ROUNDS]]]\n"
            "DEPTH: the large tree has 2^DEPTH - 1 nodes\n",
            stderr);
        return 2;
    }
    const lazult::runtime running({.streams = streams});
    bind_main();
    std::printf("%d streams, %d rounds; a ratio below 1: forks are faster\n", streams, rounds);
    std::printf("%-22s %12s %12s %8s %-14s %8s %10s\n", "work", "plain us", "forked us", "ratio",
                "(least to most)", "ns/fork", "units/call");
    measure(forks::tree_sum("tree", depth, 1), rounds);
    measure(forks::tree_sum("small-tree", 10, 100), rounds);
    measure(forks::one_sided("one-sided, leaf first", 10'000, true), rounds);
    measure(forks::one_sided("one-sided, leaf last", 10'000, false), rounds);
    measure(forks::blocking_tree("blocking-tree", 20), rounds);
}
