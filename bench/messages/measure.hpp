// SPDX-License-Identifier: BSD-3-Clause
// What the measurements of messages share: queues of each kind, times, and a table to which rank 0
// adds rows.
#pragma once

#include <lazult_concert.hpp>

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lazult::bench {

struct row {
    std::string what;
    std::string scheme;
    bool aggregated = false;
    std::size_t bytes = 0;
    double median_ns = 0;
    double low_ns = 0;  // the 10th and the 90th percentile
    double high_ns = 0;
    double ratio = 0;  // to what `ratio_to` says
    std::string ratio_to;
    // Traffic patterns: the harmonic mean over the ranks of each rank's mean, as in Figure 10.
    double harmonic_ns = 0;
};

struct effort {
    unsigned rounds = 200;       // of bursts, for each figure
    unsigned iterations = 2000;  // of the kernel of the traffic patterns, on each rank
    unsigned slow_messages = 20'000;
};

struct scheme {
    const char* name;
    int number;
};
inline constexpr scheme schemes[] = {
    {"push", CONCERT_PUSH}, {"pull", CONCERT_PULL}, {"auto", CONCERT_AUTO}};

inline concert_options options_of(const scheme& s, bool aggregated) {
    concert_options options = concert::default_options();
    options.scheme = s.number;
    options.aggregate_bytes = aggregated ? 4096 : 0;
    return options;
}

using clock = std::chrono::steady_clock;
inline double ns_since(clock::time_point then) {
    return std::chrono::duration<double, std::nano>(clock::now() - then).count();
}

// Of a non-empty list.
inline double quantile(std::vector<double>& values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}
inline void fill(row& r, std::vector<double>& values) {
    r.median_ns = quantile(values, 0.5);
    r.low_ns = quantile(values, 0.1);
    r.high_ns = quantile(values, 0.9);
}

// MPI's own calls, to compare with, between the same two ranks.
struct mpi_figures {
    std::vector<double> latency;  // one way, by MPI_Send and MPI_Recv
    std::vector<double> flood;    // for each message, by MPI_Isend
};
// Rank 0 and rank 1 call these at the same time. The data is at least `bytes` long.
void mpi_ping_pong(std::byte* data, std::size_t bytes, unsigned trips, mpi_figures& found);
void mpi_flood(std::byte* data, std::size_t bytes, unsigned messages, mpi_figures& found);

// The values of all ranks, on rank 0.
std::vector<double> gathered(const std::vector<double>& mine);

// Each appends its rows on rank 0, and takes part on all ranks.
void measure_point_to_point(const effort& how, std::vector<row>& rows);
void measure_patterns(const effort& how, std::vector<row>& rows);
void measure_slow_receiver(const effort& how, std::vector<row>& rows);

}  // namespace lazult::bench
