// SPDX-License-Identifier: BSD-3-Clause
// A rank's rows of an N x N grid, with a row of each neighbour above and below and zeros around the
// grid. It iterates Jacobi's method for -u_xx - u_yy = 2 pi^2 sin(pi x) sin(pi y) on the unit
// square, u = 0 on its border, from zero.
//
// The right side is an eigenvector of the method, so what it computes is known after every step:
// u_k = c (1 - lambda^k) sin(pi x) sin(pi y) with lambda = cos(pi h), c = (pi h)^2 / (2 - 2
// lambda), h = 1 / (N + 1); and c tends to 1, the analytic solution, with h^2.
#pragma once

#include <cstddef>
#include <vector>

namespace lazult::poisson {

class strip {
public:
    // The rows of `rank` out of `ranks`. Each rank has one row at least.
    strip(std::size_t n, int rank, int ranks);

    std::size_t rows() const noexcept { return rows_; }

    // Exchanges border rows of the current values with the neighbours. Blocks in MPI.
    void exchange();
    // New values of rows begin to end - 1, counted from 1. Needs exchange() only for the first and
    // the last one.
    void sweep(std::size_t begin, std::size_t end) noexcept;
    // The new values are the current ones from here on.
    void advance() noexcept { current_.swap(next_); }

    // The greatest difference on this rank from what must stand there after so many steps.
    double error_after(unsigned steps) const;

private:
    double* row(std::vector<double>& values, std::size_t r) noexcept {
        return values.data() + r * width_;
    }
    double eigenvector(std::size_t row, std::size_t column) const noexcept;

    std::size_t n_;
    std::size_t width_;
    std::size_t first_;  // the first row's number in the grid, from 1
    std::size_t rows_;
    int above_;
    int below_;
    std::vector<double> sines_;
    std::vector<double> current_;
    std::vector<double> next_;
};

}  // namespace lazult::poisson
