// SPDX-License-Identifier: BSD-3-Clause
// Graph500, kernel 2: breadth-first searches from 64 roots, each validated. Reports the harmonic
// mean of the traversed edges per second, as the specification does.
#include "apps/graph500/search.hpp"
#include "apps/graph500/validation.hpp"

#include <fmt/core.h>
#include <mpi.h>
#include <CLI/CLI.hpp>
#include <lazult/lazult.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

namespace lazult::graph500 {
namespace {

struct request {
    graph_size size;
    unsigned roots = 64;
    std::string via = "pull";
    std::size_t buffer_length = 256;
};

// Of all vertices, from what each rank knows of its own. Collective.
std::vector<vertex> of_all_vertices(const graph& g, const std::vector<vertex>& mine) {
    // One more than the parent: 0 is nobody, and where another rank knows.
    static_assert(nobody + 1 == 0);
    std::vector<vertex> all(g.vertices());
    for (std::size_t local = 0; local < mine.size(); ++local) {
        all[g.global(local)] = mine[local] + 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_UINT64_T, MPI_MAX,
                  MPI_COMM_WORLD);
    for (vertex& each : all) {
        --each;
    }
    return all;
}

// Different ones, drawn from the vertices that have a neighbour. The same on all ranks.
std::vector<vertex> draw_roots(const graph& g, const request& wanted) {
    std::vector<std::uint8_t> joined(g.vertices());
    for (std::size_t local = 0; local < g.owned(); ++local) {
        joined[g.global(local)] = g.neighbours(local).empty() ? 0 : 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, joined.data(), static_cast<int>(joined.size()), MPI_UINT8_T,
                  MPI_MAX, MPI_COMM_WORLD);
    const auto most = static_cast<std::size_t>(std::count(joined.begin(), joined.end(), 1));
    std::vector<vertex> roots;
    for (std::uint64_t draw = 0; roots.size() < std::min<std::size_t>(wanted.roots, most); ++draw) {
        const vertex v = scrambled(wanted.size.seed + 2, draw) % g.vertices();
        if (joined[v] == 1) {
            joined[v] = 0;
            roots.push_back(v);
        }
    }
    return roots;
}

std::unique_ptr<search> make_search(const graph& g, const request& wanted) {
    if (wanted.via == "threads") {
        return make_search_by_threads(g, wanted.buffer_length);
    }
    if (wanted.via == "ults") {
        return make_search_by_ults(g, wanted.buffer_length);
    }
    return make_search_by_messages(g, wanted.via == "push" ? CONCERT_PUSH : CONCERT_PULL,
                                   wanted.buffer_length);
}

struct outcome {
    std::vector<double> teps;
    std::string broken_rule;
};

double seconds_of(search& s, vertex root, tree& result) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto began = std::chrono::steady_clock::now();
    s.run(root, result);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return took.count();
}

outcome search_all(const graph& g, std::span<const edge> share, const request& wanted) {
    outcome found;
    tree result(g);
    const std::unique_ptr<search> by = make_search(g, wanted);
    for (const vertex root : draw_roots(g, wanted)) {
        const double seconds = seconds_of(*by, root, result);
        const verdict judged = validate(root, of_all_vertices(g, result.parents()), share);
        if (!judged.broken_rule.empty()) {
            found.broken_rule = judged.broken_rule;
            return found;
        }
        found.teps.push_back(static_cast<double>(judged.edges_traversed) / seconds);
    }
    return found;
}

double harmonic_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double each : values) {
        sum += 1 / each;
    }
    return static_cast<double>(values.size()) / sum;
}

// Of the visits.
std::string technique_of(const request& wanted) {
    const char* const text = std::getenv("LAZULT_TECHNIQUE");
    return wanted.via == "threads" ? "none" : text != nullptr && *text != 0 ? text : "adaptive";
}

int report(const request& wanted, outcome found) {
    if (!found.broken_rule.empty()) {
        fmt::print(stderr, "graph500: the tree is wrong, by rule {}\n", found.broken_rule);
        return 1;
    }
    std::sort(found.teps.begin(), found.teps.end());
    fmt::print(
        "scale {} ranks {} via {} technique {} buffer {} roots {} valid: harmonic mean {:.4g} "
        "TEPS, min {:.4g}, median {:.4g}, max {:.4g}\n",
        wanted.size.scale, concert_size(), wanted.via, technique_of(wanted), wanted.buffer_length,
        found.teps.size(), harmonic_mean(found.teps), found.teps.front(),
        found.teps[found.teps.size() / 2], found.teps.back());
    return 0;
}

int run(const request& wanted) {
    const runtime streams;
    const concert::session world;
    const auto rank = static_cast<unsigned>(world.rank());
    const auto ranks = static_cast<unsigned>(world.size());
    const std::vector<edge> share = kronecker_share(wanted.size, rank, ranks);
    const graph g(wanted.size.vertices(), share, rank, ranks);
    const outcome found = search_all(g, share, wanted);
    return rank == 0 ? report(wanted, found) : found.broken_rule.empty() ? 0 : 1;
}

}  // namespace
}  // namespace lazult::graph500

int main(int argc, char** argv) {
    lazult::graph500::request wanted;
    CLI::App program{"Breadth-first search after the Graph500 specification"};
    program.add_option("--scale", wanted.size.scale, "2^scale vertices")
        ->check(CLI::Range(4U, 24U));
    program.add_option("--edge-factor", wanted.size.edge_factor, "edges for each vertex")
        ->check(CLI::Range(1U, 64U));
    program.add_option("--seed", wanted.size.seed, "of the graph and of the roots");
    program.add_option("--roots", wanted.roots, "searches")->check(CLI::Range(1U, 1024U));
    program
        .add_option("--via", wanted.via,
                    "pull or push: messages, a ULT for each visit; ults: blocking MPI calls in a "
                    "ULT for each visit; threads: in OS threads")
        ->check(CLI::IsMember({"pull", "push", "ults", "threads"}));
    program
        .add_option("--buffer", wanted.buffer_length,
                    "offers that wait for each other on the way to a rank")
        ->check(CLI::Range(1U, 4000U));
    CLI11_PARSE(program, argc, argv);
    if (wanted.via == "ults" && !lazult::graph500::is_mpi_door_there()) {
        fmt::print(stderr,
                   "graph500: blocking MPI calls of ULTs would stop their streams; start it by "
                   "\"lazult run --mpi --\"\n");
        return 2;
    }
    return lazult::graph500::run(wanted);
}
