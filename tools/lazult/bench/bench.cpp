// SPDX-License-Identifier: BSD-3-Clause
// lazult bench: which benchmarks, how often, and what to do with what they find.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/compare.hpp"
#include "tools/lazult/bench/concert.hpp"
#include "tools/lazult/bench/isolated.hpp"
#include "tools/lazult/bench/messages.hpp"
#include "tools/lazult/bench/mpi.hpp"
#include "tools/lazult/bench/report.hpp"
#include "tools/lazult/bench/runtime_session.hpp"
#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/known_words.hpp"

namespace lazult::tool {
namespace {

constexpr std::array benchmarks{
    benchmark{"fork-join", "n units created, run and joined", fork_join_rows, true},
    benchmark{"yield", "two ULTs that give way to each other", yield_rows, true},
    benchmark{"yield-to", "the same by name", yield_to_rows, true},
    benchmark{"fib", "one ULT for each of fib's additions, joined in its parent", fib_rows, true},
    benchmark{"condvar", "round trip of two ULTs over one mutex and one condition variable",
              condvar_rows, true},
    benchmark{"mutex", "lock and unlock, uncontended and with streams that contend", mutex_rows,
              true},
    benchmark{"memory", "resident bytes of a created and of a blocked unit", memory_rows, false},
    benchmark{"wake", "from a unit's creation to its start on a stream that slept", wake_rows,
              false},
    benchmark{"create-latency", "99.9th percentile of creating one unit", create_latency_rows,
              false},
    benchmark{"idle", "CPU share of an idle stream", idle_rows, false},
    benchmark{"tracing", "fork-join's time where it is traced, over that where it is not",
              tracing_rows, false},
};

// On ranks of MPI, and so alone.
struct on_ranks {
    std::string_view name;
    std::string_view doc;
};
constexpr std::array benchmarks_on_ranks{
    on_ranks{"concert",
             "threads without stacks, futures, methods, objects, and a microkernel of "
             "them; see --what"},
    on_ranks{
        "messages",
        "send, extract and latency of messages between ranks, and traffic that is not balanced"},
    on_ranks{"mpi", "ping-pong of two processes by ULTs and by plain MPI"},
};

std::vector<std::string_view> names_of_benchmarks() {
    std::vector<std::string_view> names;
    for (const benchmark& b : benchmarks) {
        names.push_back(b.name);
    }
    for (const on_ranks& b : benchmarks_on_ranks) {
        names.push_back(b.name);
    }
    return names;
}

std::string known_names() { return fmt::format("{}", fmt::join(names_of_benchmarks(), ", ")); }

const benchmark& benchmark_named(const std::string& name) {
    const auto at = std::find_if(benchmarks.begin(), benchmarks.end(),
                                 [&](const benchmark& b) { return b.name == name; });
    if (at == benchmarks.end()) {
        throw usage_error("bench", fmt::format("there is no benchmark \"{}\"", name),
                          "give one or more of " + known_names());
    }
    return *at;
}

rows rows_of(const bench_options& options) {
    rows all;
    bool timed = false;
    for (const std::string& name : options.raw.names) {
        const benchmark& chosen = benchmark_named(name);
        rows some = chosen.make(options);
        std::move(some.begin(), some.end(), std::back_inserter(all));
        timed = timed || chosen.timed;
    }
    if (timed && !options.callgrind && !options.isolated) {
        rows floors = floor_rows();
        all.insert(all.begin(), std::move_iterator(floors.begin()),
                   std::move_iterator(floors.end()));
    }
    return all;
}

void take_isolated_sample(const rows& all) {
    runtime_session runtime;
    runtime.want(all.front().settings);
    print_sample(all.front().run(0));
}

void count_operations(const rows& all, std::uint64_t iterations) {
    for (const configuration& one : all) {
        fmt::print("{} {} {:.0f} operations\n", one.benchmark, one.technique,
                   run_once(one, iterations));
    }
}

void report(const std::vector<measurement>& results, const bench_options& options) {
    if (options.json_file != "-") {
        print_table(results);
    }
    if (!options.json_file.empty()) {
        write_json(results, options.json_file);
    }
}

bool wants(const bench_options& options, std::string_view name) {
    const std::vector<std::string>& names = options.raw.names;
    const bool wanted = std::find(names.begin(), names.end(), name) != names.end();
    if (wanted && names.size() != 1) {
        throw usage_error("bench",
                          fmt::format("{} runs on several ranks, and the others do not", name),
                          fmt::format("give {} alone", name));
    }
    return wanted;
}

void compare(const bench_options& options) {
    if (!options.raw.names.empty()) {
        throw usage_error("option --compare", "it is given together with the name of a benchmark",
                          "give --compare A.json B.json alone");
    }
    compare_results(options.compared_files[0], options.compared_files[1]);
}

// What the command line says about all of `lazult bench`.
struct request {
    bench_options options;
    messages_options messages;
    concert_options concert;
};

concert_effort effort_of(const request& given, const CLI::App& bench) {
    concert_effort effort;
    effort.mpi = given.messages.mpi;
    effort.rounds = given.messages.rounds;
    if (bench.count("--ranks") != 0) {
        effort.ranks = given.messages.ranks;
    }
    if (bench.count("--reps") != 0) {
        effort.repetitions = std::max(1U, given.options.how.repetitions);
    }
    return effort;
}

void run(request& given, const CLI::App& bench) {
    bench_options& options = given.options;
    if (!options.compared_files.empty()) {
        compare(options);
        return;
    }
    if (wants(options, "messages")) {
        run_messages(given.messages, options.json_file);
    }
    if (wants(options, "concert")) {
        run_concert(given.concert, effort_of(given, bench), options.json_file);
        return;
    }
    if (options.raw.names.empty()) {
        throw usage_error("bench", "no NAME of a benchmark is given",
                          "give one or more of " + known_names());
    }
    interpret(options);
    if (wants(options, "mpi")) {
        run_mpi_benchmark(options);
        return;
    }
    const rows all = rows_of(options);
    if (options.isolated) {
        take_isolated_sample(all);
    } else if (options.callgrind) {
        count_operations(all, options.how.iterations);
    } else {
        report(measure_all(all, options.how), options);
    }
}

std::string list_of_benchmarks() {
    std::string text = "Benchmarks:\n";
    for (const benchmark& b : benchmarks) {
        text += fmt::format("  {:<16} {}\n", b.name, b.doc);
    }
    for (const on_ranks& b : benchmarks_on_ranks) {
        text += fmt::format("  {:<16} {}\n", b.name, b.doc);
    }
    return text +
           "An option that takes several values makes a row of each. `lazult bench openmp` "
           "compares OpenMP runtimes, and `lazult bench peers` Lazult with other libraries.";
}

}  // namespace

void add_bench(CLI::App& program) {
    auto given = std::make_shared<request>();
    CLI::App* bench = program.add_subcommand("bench", "Measure this machine");
    bench->add_option("NAME", given->options.raw.names, "one or more benchmarks")
        ->check(known_words(names_of_benchmarks()));
    declare(*bench, given->options);
    declare_messages(*bench, given->messages);
    declare_concert(*bench, given->concert);
    add_bench_openmp(*bench);
    add_bench_peers(*bench);
    // Last, because a subcommand takes over what its parent has when it is added.
    bench->footer(list_of_benchmarks());
    bench->callback([given, bench] {
        if (bench->get_subcommands().empty()) {
            run(*given, *bench);
        }
    });
}

}  // namespace lazult::tool
