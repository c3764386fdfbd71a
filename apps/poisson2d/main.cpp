// SPDX-License-Identifier: BSD-3-Clause
// Jacobi's method on strips of a grid. In each step one thread exchanges the borders while others
// compute what does not need them: a ULT and tasklets, or OS threads; or all in turn, by MPI alone.
#include "apps/poisson2d/strip.hpp"

#include <fmt/core.h>
#include <mpi.h>
#include <CLI/CLI.hpp>
#include <lazult/lazult.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace lazult::poisson {
namespace {

struct request {
    std::size_t n = 512;
    unsigned steps = 200;
    std::size_t rows_per_task = 16;
    std::string by = "ult";
};

void step_in_turn(strip& s) {
    s.exchange();
    s.sweep(1, s.rows() + 1);
}

// The first and the last row wait for the exchange.
template <class Communicator, class Task>
void step_by_threads(strip& s, std::size_t rows_per_task) {
    Communicator exchange([&s] { s.exchange(); });
    std::vector<Task> tasks;
    for (std::size_t begin = 2; begin < s.rows(); begin += rows_per_task) {
        const std::size_t end = std::min(begin + rows_per_task, s.rows());
        tasks.emplace_back([&s, begin, end] { s.sweep(begin, end); });
    }
    exchange.join();
    s.sweep(1, 2);
    if (s.rows() > 1) {
        s.sweep(s.rows(), s.rows() + 1);
    }
    for (Task& each : tasks) {
        each.join();
    }
}

void step(strip& s, const request& wanted) {
    if (wanted.by == "ult") {
        step_by_threads<thread, tasklet>(s, wanted.rows_per_task);
    } else if (wanted.by == "threads") {
        step_by_threads<std::thread, std::thread>(s, wanted.rows_per_task);
    } else {
        step_in_turn(s);
    }
    s.advance();
}

double seconds_of(strip& s, const request& wanted) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto began = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < wanted.steps; ++i) {
        step(s, wanted);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

int run(const request& wanted) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (wanted.n < static_cast<std::size_t>(ranks)) {
        fmt::print(stderr, "poisson2d: {} rows are fewer than {} ranks; give a larger --n\n",
                   wanted.n, ranks);
        return 2;
    }
    strip s(wanted.n, rank, ranks);
    const double seconds = seconds_of(s, wanted);
    double error = s.error_after(wanted.steps);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const bool is_right = error < 1e-10;
    if (rank == 0) {
        fmt::print(
            "n {} steps {} ranks {} by {} rows-per-task {}: {:.4f} s, {:.3f} us a step, error "
            "{:.2e}: {}\n",
            wanted.n, wanted.steps, ranks, wanted.by, wanted.rows_per_task, seconds,
            seconds / wanted.steps * 1e6, error, is_right ? "right" : "wrong");
    }
    return is_right ? 0 : 1;
}

int run_in_mpi(const request& wanted) {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
    if (given != MPI_THREAD_MULTIPLE) {
        fmt::print(stderr, "poisson2d: this MPI has no MPI_THREAD_MULTIPLE; use one that has\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int result = run(wanted);
    MPI_Finalize();
    return result;
}

}  // namespace
}  // namespace lazult::poisson

int main(int argc, char** argv) {
    lazult::poisson::request wanted;
    CLI::App program{"Poisson's equation on a square, by Jacobi's method on strips"};
    program.add_option("--n", wanted.n, "rows and columns")->check(CLI::Range(1U, 16384U));
    program.add_option("--steps", wanted.steps, "of the method")->check(CLI::PositiveNumber);
    program.add_option("--rows-per-task", wanted.rows_per_task, "of a tasklet or thread")
        ->check(CLI::PositiveNumber);
    program
        .add_option(
            "--by", wanted.by,
            "ult: a ULT for MPI, tasklets for rows; threads: OS threads; mpi: one after the other")
        ->check(CLI::IsMember({"ult", "threads", "mpi"}));
    CLI11_PARSE(program, argc, argv);
    return lazult::poisson::run_in_mpi(wanted);
}
