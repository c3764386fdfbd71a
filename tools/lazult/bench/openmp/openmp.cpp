// SPDX-License-Identifier: BSD-3-Clause
// lazult bench openmp: our libgomp.so.1 beside other OpenMP runtimes.
#include <fmt/core.h>
#include <stdlib.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/lazult/bench/openmp/comparison.hpp"
#include "tools/lazult/bench/statistics.hpp"
#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

using json = nlohmann::ordered_json;

struct openmp_options {
    std::vector<std::string> peers;
    std::vector<std::string> names;
    std::vector<std::string> policies{"default", "passive"};
    comparison_effort how;
    std::string json_file;
    bool list = false;
};

std::vector<wait_policy> policies_of(const openmp_options& options) {
    std::vector<wait_policy> policies;
    for (const std::string& word : options.policies) {
        policies.push_back(word == "passive" ? wait_policy::passive : wait_policy::standard);
    }
    return policies;
}

// --- the table

std::string cell(const openmp_times& times) {
    return fmt::format("{:>14.1f}", median(times.rounds));
}

std::string range(const times_as_fast& t) {
    return fmt::format("{:>9.2f}  ({:.2f} to {:.2f})", t.median, t.least, t.most);
}

std::string created_words(const std::vector<contender>& all, const openmp_row& row) {
    std::string words;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (row.times[i].threads_created > 0) {
            words +=
                fmt::format("{} {} creates {:.1f} OS threads an iteration",
                            words.empty() ? "" : ",", all[i].name, row.times[i].threads_created);
        }
    }
    return words;
}

void print_table(const std::vector<contender>& all, const std::vector<openmp_row>& rows,
                 const comparison_effort& how) {
    double load[1] = {0};
    const bool known = ::getloadavg(load, 1) == 1;
    fmt::print(
        "ns for an operation, {} threads: medians of {} rounds, and how many times as fast ours is "
        "as the best of the others{}\n",
        how.threads, how.rounds, known ? fmt::format("; load {:.2f}", load[0]) : "");
    std::string head = fmt::format("{:<18}{:<8}", "case", "waiting");
    for (const contender& each : all) {
        head += fmt::format("{:>14}", each.name);
    }
    fmt::print("{}{}\n", head, all.size() > 1 ? fmt::format("{:>9}", "times") : "");
    for (const openmp_row& row : rows) {
        std::string line = fmt::format("{:<18}{:<8}", row.what.name, name(row.policy));
        for (const openmp_times& each : row.times) {
            line += cell(each);
        }
        fmt::print("{}{}{}\n", line, all.size() > 1 ? range(against_best(row)) : "",
                   created_words(all, row));
    }
}

// --- JSON: an object for each runtime in each case

void add(json& object, const std::string& prefix, const times_as_fast& t) {
    object[prefix] = t.median;
    object[prefix + "_min"] = t.least;
    object[prefix + "_max"] = t.most;
}

json to_json(const std::vector<contender>& all, const openmp_row& row, std::size_t i,
             const comparison_effort& how) {
    const openmp_times& times = row.times[i];
    json object{{"benchmark", "openmp"},
                {"case", row.what.name},
                {"operation", row.what.operation},
                {"waiting", name(row.policy)},
                {"runtime", all[i].name},
                {"threads", how.threads},
                {"unit", "ns"},
                {"median", median(times.rounds)},
                {"min", smallest(times.rounds)},
                {"max", largest(times.rounds)},
                {"repetitions", times.rounds.size()},
                {"os_threads_created", times.threads_created}};
    if (i != 0) {
        add(object, "times_as_fast", against(row, i));
    } else if (all.size() > 1) {
        add(object, "times_as_fast_as_best", against_best(row));
    }
    return object;
}

void write_json(const std::vector<contender>& all, const std::vector<openmp_row>& rows,
                const openmp_options& options) {
    json array = json::array();
    for (const openmp_row& row : rows) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            array.push_back(to_json(all, row, i, options.how));
        }
    }
    std::ofstream file(options.json_file);
    file << array.dump(2) << '\n';
    if (!file.flush()) {
        throw failure("option --json",
                      options.json_file + " cannot be written (" + std::strerror(errno) + ")",
                      "give a file in a folder that can be written");
    }
}

void run(const openmp_options& options) {
    link_folders links;
    const std::vector<contender> all = contenders(options.peers, links);
    const std::vector<openmp_case> known = cases_of(all.front());
    const std::vector<openmp_case> chosen = choose_cases(known, options.names);
    if (options.list) {
        for (const openmp_case& one : known) {
            fmt::print("{:<18}{}\n", one.name, one.operation);
        }
        return;
    }
    const std::vector<openmp_row> rows = compare(all, chosen, policies_of(options), options.how);
    print_table(all, rows, options.how);
    if (!options.json_file.empty()) {
        write_json(all, rows, options);
    }
}

}  // namespace

void add_bench_openmp(CLI::App& bench) {
    auto options = std::make_shared<openmp_options>();
    CLI::App* openmp =
        bench.add_subcommand("openmp", "Our libgomp.so.1 beside other OpenMP runtimes");
    openmp->add_option("CASE", options->names, "some cases; all without");
    openmp
        ->add_option("--peer", options->peers,
                     "another runtime's libgomp.so.1 or libomp.so.5; may be repeated")
        ->type_name("NAME=FILE")
        ->allow_extra_args(false);
    openmp->add_option("--policy", options->policies, "how threads wait: both without")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"default", "passive"}));
    openmp->add_option("--threads", options->how.threads, "OMP_NUM_THREADS")
        ->check(CLI::Range(1, 1024));
    openmp
        ->add_option("--rounds", options->how.rounds, "processes of each case, runtime and policy")
        ->check(CLI::Range(1, 1000));
    openmp->add_option("--reps", options->how.repetitions, "in each process")
        ->check(CLI::Range(1, 1000));
    openmp->add_option("--min-ms", options->how.min_ms, "of a repetition")
        ->check(CLI::Range(0.001, 1e5));
    openmp->add_option("--json", options->json_file, "write the measurements there")
        ->type_name("FILE");
    openmp->add_flag("--list", options->list, "list the cases and end");
    openmp->callback([options] { run(*options); });
}

}  // namespace lazult::tool
