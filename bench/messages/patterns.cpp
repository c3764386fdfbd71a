// SPDX-License-Identifier: BSD-3-Clause
// How the cost of sending bears traffic that is not balanced: Figure 10 of Karamcheti, Plevyak and
// Chien. Each rank sends a message, receives one if there is one, and computes for 13.2 us on
// average, again and again. The figure has the harmonic mean over the ranks of their overheads.
#include "bench/messages/measure.hpp"

#include <map>
#include <numeric>
#include <random>

namespace lazult::bench {
namespace {

constexpr double computation_ns = 13'200;
constexpr std::size_t slow_bytes = 16;
constexpr std::size_t longest_bytes = 1024;
constexpr std::size_t pattern_bytes[] = {16, longest_bytes};

struct pattern {
    const char* name;
    int hot_weight;  // how much likelier rank 0 is than another one: 0: a permutation; -1: always
};
constexpr pattern patterns[] = {
    {"all-to-all", 0}, {"random", 1}, {"hotspot x4", 4}, {"hotspot x16", 16}, {"all-to-one", -1}};

int destination(const pattern& p, unsigned iteration, std::mt19937_64& random) {
    const int size = concert_size();
    if (p.hot_weight == 0) {
        return (concert_rank() + 1 +
                static_cast<int>(iteration % static_cast<unsigned>(size - 1))) %
               size;
    }
    if (p.hot_weight < 0) {
        return 0;
    }
    const auto drawn = static_cast<int>(random() % static_cast<unsigned>(size - 1 + p.hot_weight));
    return drawn < p.hot_weight ? 0 : drawn - p.hot_weight + 1;
}

void compute(double ns) {
    for (const auto began = clock::now(); ns_since(began) < ns;) {
    }
}

// Nanoseconds between two readings of the clock with nothing between.
double empty_ns() {
    std::vector<double> values;
    for (int i = 0; i < 1001; ++i) {
        const auto began = clock::now();
        values.push_back(ns_since(began));
    }
    return quantile(values, 0.5);
}

std::vector<double> run_kernel(const pattern& p, concert::queue& queue,
                               const concert::span_handler<std::byte>& take, std::size_t bytes,
                               unsigned iterations) {
    std::mt19937_64 random(static_cast<std::uint64_t>(concert_rank()) + 17);
    std::exponential_distribution<double> delay(1 / computation_ns);
    const std::byte longest[longest_bytes] = {};
    const std::span<const std::byte> data(longest, bytes);
    const double clock_ns = empty_ns();
    std::vector<double> overheads;
    concert_quiesce();
    for (unsigned iteration = 0; iteration < iterations; ++iteration) {
        const int to = destination(p, iteration, random);
        // In the all-to-one pattern, rank 0 only receives.
        if (to != concert_rank() || p.hot_weight >= 0) {
            const auto began = clock::now();
            take.send(queue, to, data);
            overheads.push_back(std::max(0.0, ns_since(began) - clock_ns));
        }
        queue.extract(1);
        compute(delay(random));
    }
    // Until the last one has sent, everybody receives at the same pace: a receiver that hurried
    // would end the contention.
    MPI_Request all_sent = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_sent);
    for (int done = 0; done == 0; MPI_Test(&all_sent, &done, MPI_STATUS_IGNORE)) {
        queue.extract(1);
        compute(delay(random));
    }
    concert_quiesce();
    return overheads;
}

// One value, or none of an empty list.
std::vector<double> mean_of(const std::vector<double>& values) {
    if (values.empty()) {
        return {};
    }
    return {std::accumulate(values.begin(), values.end(), 0.0) /
            static_cast<double>(values.size())};
}

// 0 if one of them is 0.
double harmonic_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        if (value <= 0) {
            return 0;
        }
        sum += 1 / value;
    }
    return static_cast<double>(values.size()) / sum;
}

concert::span_handler<std::byte>& taker() {
    static concert::span_handler<std::byte> take("bench.take",
                                                 [](int, std::span<const std::byte>) {});
    return take;
}

}  // namespace

void measure_patterns(const effort& how, std::vector<row>& rows) {
    for (const std::size_t bytes : pattern_bytes) {
        std::map<std::string, double> base;
        for (const pattern& p : patterns) {
            for (const scheme& s : schemes) {
                concert::queue queue(options_of(s, false));
                const std::vector<double> mine =
                    run_kernel(p, queue, taker(), bytes, how.iterations);
                std::vector<double> all = gathered(mine);
                const std::vector<double> means = gathered(mean_of(mine));
                if (all.empty()) {
                    continue;
                }
                row r{p.name, s.name, false, bytes, 0, 0, 0, 0, "its all-to-all"};
                fill(r, all);
                r.harmonic_ns = harmonic_mean(means);
                base.try_emplace(s.name, r.median_ns);
                r.ratio = r.median_ns / base[s.name];
                rows.push_back(r);
            }
        }
    }
}

// Rank 0 computes for ten milliseconds between looks at its messages; the others send as fast as
// they can.
void measure_slow_receiver(const effort& how, std::vector<row>& rows) {
    constexpr double pause_ns = 10e6;
    double push_ns = 0;
    taker();  // registered by all ranks, also by the one that does not send
    for (const scheme& s : schemes) {
        concert::queue queue(options_of(s, false));
        const std::byte data[slow_bytes] = {};
        std::vector<double> took;
        concert_quiesce();
        MPI_Request all_sent = MPI_REQUEST_NULL;
        if (concert_rank() != 0) {
            const auto began = clock::now();
            for (unsigned i = 0; i < how.slow_messages; ++i) {
                taker().send(queue, 0, data);
            }
            took.push_back(ns_since(began) / how.slow_messages);
        }
        MPI_Ibarrier(MPI_COMM_WORLD, &all_sent);
        for (int done = 0; done == 0; MPI_Test(&all_sent, &done, MPI_STATUS_IGNORE)) {
            if (concert_rank() == 0) {
                compute(pause_ns);
                queue.extract();
            }
        }
        concert_quiesce();
        std::vector<double> all = gathered(took);
        if (!all.empty()) {
            row r{"slow receiver", s.name, false, slow_bytes, 0, 0, 0, 0, "push"};
            fill(r, all);
            push_ns = s.number == CONCERT_PUSH ? r.median_ns : push_ns;
            r.ratio = r.median_ns / push_ns;
            rows.push_back(r);
        }
    }
}

}  // namespace lazult::bench
