// SPDX-License-Identifier: BSD-3-Clause
// k-means over flight records: the same clustering by every technique of Lazult and by its
// alternatives.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <lazult/lazult.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/flights/flights.hpp"
#include "apps/kmeans/experiment.hpp"
#include "apps/kmeans/partial_sums.hpp"
#include "apps/kmeans/report.hpp"

namespace {

struct arguments {
    std::string data = FLIGHTS_SAMPLE;
    std::string json;
    std::size_t clusters = 24;  // as in the paper that the program follows
    std::size_t iterations = 10;
    std::uint64_t seed = 2013;
    std::size_t workers = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::size_t> locks;
    std::vector<std::size_t> blocks{1, 8};
    std::size_t os_block = 256;
    std::size_t batch = 256;
    std::size_t repetitions = 5;
    std::vector<std::string> variants;
    bool list = false;
};

void declare(CLI::App& app, arguments& given) {
    app.add_option("--data", given.data, "CSV file of flights, plain or gzip")
        ->capture_default_str();
    app.add_option("--clusters", given.clusters, "clusters (K)")
        ->check(CLI::Range(std::size_t{1}, kmeans::max_clusters))
        ->capture_default_str();
    app.add_option("--iterations", given.iterations, "iterations at most")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--seed", given.seed, "chooses the initial centres")->capture_default_str();
    app.add_option("--workers", given.workers, "execution streams, or OS threads (W)")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option(
           "--locks", given.locks,
           "locks (L), one or more: 1 to K, or a multiple of K up to K*W (default: 1, K/4, K, K*W)")
        ->delimiter(',');
    app.add_option("--block", given.blocks, "points to a ULT or task, one or more")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    app.add_option("--os-block", given.os_block,
                   "points to an OS thread where there is one to each block")
        ->check(CLI::Range(16, 1 << 20))
        ->capture_default_str();
    app.add_option("--batch", given.batch, "ULTs that a worker creates before it joins them")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    app.add_option("--repetitions", given.repetitions, "timed runs of each, after one to warm up")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--variant", given.variants, "only these, one or more (see --list)")
        ->delimiter(',');
    app.add_option("--json", given.json, "write the measurements there");
    app.add_flag("--list", given.list, "list the variants and end");
}

std::vector<std::size_t> default_locks(std::size_t clusters, std::size_t workers) {
    std::vector<std::size_t> locks{1, std::max<std::size_t>(1, clusters / 4), clusters,
                                   clusters * workers};
    locks.erase(std::ranges::unique(locks).begin(), locks.end());
    return locks;
}

std::vector<kmeans::variant> choose(const std::vector<std::string>& names) {
    const std::vector<kmeans::variant> all = kmeans::all_variants();
    if (names.empty()) {
        return all;
    }
    std::vector<kmeans::variant> chosen;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(all, name, &kmeans::variant::name);
        if (found == all.end()) {
            throw CLI::ValidationError("--variant", "there is no '" + name + "'; --list names all");
        }
        chosen.push_back(*found);
    }
    return chosen;
}

kmeans::plan make_plan(const arguments& given) {
    kmeans::plan made{
        choose(given.variants),
        given.locks.empty() ? default_locks(given.clusters, given.workers) : given.locks,
        given.blocks,
        {given.workers, 0, 0, given.os_block, given.batch},
        given.repetitions};
    for (const std::size_t locks : made.locks) {
        kmeans::locks_to_a_replica(locks, given.clusters, given.workers);
    }
    return made;
}

void list_variants() {
    for (const kmeans::variant& one : kmeans::all_variants()) {
        fmt::print("{:<30} {}\n", one.name, one.description);
    }
}

// Nothing is drawn into a file or pipe; the line is wiped at the end.
void show_progress(std::size_t done, std::size_t total, const std::string& variant) {
    if (isatty(STDERR_FILENO) == 0) {
        return;
    }
    if (done == total) {
        fmt::print(stderr, "\r\033[K");
    } else {
        fmt::print(stderr, "\r\033[Kk-means: run {} of {}, {}", done + 1, total, variant);
    }
    std::fflush(stderr);
}

void print_report(const kmeans::problem& of, const kmeans::plan& as,
                  const kmeans::experiment& done) {
    fmt::print("{}", kmeans::describe(of, done, as.common));
    fmt::print("\nMillion points assigned a second: median (min-max) of {} runs\n{}",
               as.repetitions, kmeans::throughput_table(done));
    if (const std::string suspended = kmeans::suspension_table(done); !suspended.empty()) {
        fmt::print(
            "\nSuspensions per 100 ULTs, median; up to {:.2f} are joins of the ULTs that create "
            "the others\n{}",
            100.0 / static_cast<double>(as.common.batch), suspended);
    }
    fmt::print("\n{}\n", done.all_match()
                             ? "Every run found the same clusters as the sequential program."
                             : "Some runs found OTHER clusters than the sequential program.");
}

int run(const arguments& given) {
    if (given.list) {
        list_variants();
        return 0;
    }
    const kmeans::plan plan = make_plan(given);
    const flights::table table = flights::read(given.data);
    const kmeans::problem problem{
        kmeans::point_set(flights::standardise(table), flights::columns.size()), given.clusters,
        given.iterations, given.seed};
    lazult::options options;
    options.streams = static_cast<int>(given.workers);
    const lazult::runtime runtime(options);
    const kmeans::experiment done = kmeans::conduct(problem, plan, show_progress);
    print_report(problem, plan, done);
    if (!given.json.empty()) {
        kmeans::write_json(given.json, kmeans::to_json(problem, done));
    }
    return done.all_match() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("k-means over flight records, by every way to run its threads");
    arguments given;
    declare(app, given);
    try {
        app.parse(argc, argv);
        return run(given);
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "kmeans: {}\n", error.what());
        return 2;
    }
}
