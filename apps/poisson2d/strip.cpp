// SPDX-License-Identifier: BSD-3-Clause
#include "apps/poisson2d/strip.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lazult::poisson {
namespace {

constexpr double pi = std::numbers::pi;

std::size_t first_row(std::size_t n, int rank, int ranks) {
    return n * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks) + 1;
}

}  // namespace

strip::strip(std::size_t n, int rank, int ranks)
    : n_(n),
      width_(n + 2),
      first_(first_row(n, rank, ranks)),
      rows_(first_row(n, rank + 1, ranks) - first_),
      above_(rank == 0 ? MPI_PROC_NULL : rank - 1),
      below_(rank + 1 == ranks ? MPI_PROC_NULL : rank + 1),
      sines_(n + 2),
      current_((rows_ + 2) * width_),
      next_((rows_ + 2) * width_) {
    for (std::size_t i = 1; i <= n; ++i) {
        sines_[i] = std::sin(pi * static_cast<double>(i) / static_cast<double>(n + 1));
    }
}

double strip::eigenvector(std::size_t row, std::size_t column) const noexcept {
    return sines_[first_ + row - 1] * sines_[column];
}

void strip::exchange() {
    const int count = static_cast<int>(width_);
    MPI_Sendrecv(row(current_, 1), count, MPI_DOUBLE, above_, 0, row(current_, rows_ + 1), count,
                 MPI_DOUBLE, below_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(current_, rows_), count, MPI_DOUBLE, below_, 1, row(current_, 0), count,
                 MPI_DOUBLE, above_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void strip::sweep(std::size_t begin, std::size_t end) noexcept {
    const double h = 1.0 / static_cast<double>(n_ + 1);
    const double source = h * h * 2 * pi * pi;
    for (std::size_t r = begin; r < end; ++r) {
        const double* const up = row(current_, r - 1);
        const double* const here = row(current_, r);
        const double* const down = row(current_, r + 1);
        double* const to = row(next_, r);
        const double scale = source * sines_[first_ + r - 1];
        for (std::size_t c = 1; c <= n_; ++c) {
            to[c] = 0.25 * (up[c] + down[c] + here[c - 1] + here[c + 1] + scale * sines_[c]);
        }
    }
}

double strip::error_after(unsigned steps) const {
    const double h = 1.0 / static_cast<double>(n_ + 1);
    const double lambda = std::cos(pi * h);
    const double amplitude = pi * h * pi * h / (2 - 2 * lambda) * (1 - std::pow(lambda, steps));
    double worst = 0;
    for (std::size_t r = 1; r <= rows_; ++r) {
        for (std::size_t c = 1; c <= n_; ++c) {
            worst =
                std::max(worst, std::abs(current_[r * width_ + c] - amplitude * eigenvector(r, c)));
        }
    }
    return worst;
}

}  // namespace lazult::poisson
