// SPDX-License-Identifier: BSD-3-Clause
// What each thread of the microkernel does, drawn before it is measured. The draw depends on the
// shape and the rank alone, so that all versions of the runtime do the same work.
#pragma once

#include "bench/concert/microkernel.hpp"

#include <algorithm>
#include <cstddef>
#include <random>

namespace lazult::bench {

// `threads`: see kernel_shape.
inline std::vector<kernel_shape> shapes_of(const kernel_grid& grid, std::size_t threads = 0) {
    std::vector<kernel_shape> all;
    for (const std::string& pattern : grid.patterns) {
        for (const double sigma : grid.sigma) {
            for (const double tau_us : grid.tau_us) {
                for (const double local : grid.local) {
                    all.push_back({pattern, tau_us, sigma, local, grid.seconds, threads});
                }
            }
        }
    }
    return all;
}

struct planned_thread {
    int rank;             // of its object
    std::uint64_t steps;  // of computing
};

// One step is a dependent multiplication and addition.
inline std::uint64_t compute(std::uint64_t from, std::uint64_t steps) noexcept {
    for (std::uint64_t i = 0; i < steps; ++i) {
        from = from * 6364136223846793005ULL + 1442695040888963407ULL;
        asm volatile("" : "+r"(from));  // so that no two steps become one
    }
    return from;
}

// The ranks of remote objects. A rank is never its own target.
class targets {
public:
    targets(const std::string& pattern, int rank, int ranks) : rank_(rank), ranks_(ranks) {
        const bool is_one_to_be_sent_to = pattern == "all-to-one" && rank != 0;
        const double hot = pattern == "hotspot4" ? 4 : pattern == "hotspot16" ? 16 : 1;
        std::vector<double> weights(static_cast<std::size_t>(ranks),
                                    is_one_to_be_sent_to ? 0.0 : 1.0);
        weights.front() = hot;
        weights[static_cast<std::size_t>(rank)] = 0;
        draw_ = std::discrete_distribution<int>(weights.begin(), weights.end());
        is_rotating_ = pattern == "all-to-all";
    }

    template <class Generator>
    int next(Generator& generator) {
        if (!is_rotating_) {
            return draw_(generator);
        }
        turn_ = turn_ % (ranks_ - 1) + 1;
        return (rank_ + turn_) % ranks_;
    }

private:
    int rank_;
    int ranks_;
    int turn_ = 0;
    bool is_rotating_ = false;
    std::discrete_distribution<int> draw_;
};

// Gamma, with this mean and deviation. Without a deviation it is the mean.
class delays {
public:
    delays(double tau_ns, double sigma) : tau_ns_(tau_ns), is_constant_(sigma == 0) {
        if (!is_constant_) {
            draw_ = std::gamma_distribution<double>(1 / (sigma * sigma), tau_ns * sigma * sigma);
        }
    }
    template <class Generator>
    double next(Generator& generator) {
        return is_constant_ ? tau_ns_ : draw_(generator);
    }

private:
    double tau_ns_;
    bool is_constant_;
    std::gamma_distribution<double> draw_;
};

// As many as fill the time, where a thread costs about a microsecond itself.
inline std::size_t threads_of(const kernel_shape& shape) {
    constexpr double own_cost_us = 1;
    constexpr double least = 100;
    constexpr double most = 50'000;
    const double wanted = shape.seconds * 1e6 / (shape.tau_us + own_cost_us);
    return static_cast<std::size_t>(std::clamp(wanted, least, most));
}

inline std::vector<planned_thread> plan_of(const kernel_shape& shape, int rank, int ranks,
                                           double step_ns) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(rank) + 1);
    std::bernoulli_distribution is_local(shape.local / 100);
    targets remote(shape.pattern, rank, ranks);
    delays computing(shape.tau_us * 1000, shape.sigma);
    std::vector<planned_thread> plan(shape.threads != 0 ? shape.threads : threads_of(shape));
    for (planned_thread& each : plan) {
        each.rank = is_local(generator) ? rank : remote.next(generator);
        each.steps = static_cast<std::uint64_t>(computing.next(generator) / step_ns);
    }
    return plan;
}

}  // namespace lazult::bench
