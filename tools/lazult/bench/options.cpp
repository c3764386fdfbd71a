// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/options.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/lazult/bench/isolated.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/known_words.hpp"

namespace lazult::tool {
namespace {

constexpr std::array pool_names{std::string_view("private"), std::string_view("shared"),
                                std::string_view("work_stealing")};
constexpr std::array join_names{std::string_view("each"), std::string_view("many")};
constexpr std::uint64_t most_units = 10'000'000;

const base::setting_definition& row_named(std::string_view name) {
    const auto rows = base::setting_table();
    return *std::find_if(rows.begin(), rows.end(),
                         [name](const auto& row) { return row.name == name; });
}

template <std::size_t Count>
std::size_t index_in(const std::array<std::string_view, Count>& names, std::string word,
                     const char* option) {
    std::replace(word.begin(), word.end(), '-', '_');
    const auto at = std::find(names.begin(), names.end(), word);
    if (at == names.end()) {
        throw usage_error(fmt::format("option {}", option), fmt::format("there is no \"{}\"", word),
                          fmt::format("give one of {}", fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(at - names.begin());
}

core::technique technique_named(const std::string& word) {
    const auto& row = row_named("technique");
    if (const auto value = base::parse_setting(row, word)) {
        return static_cast<core::technique>(*value);
    }
    throw usage_error("option --technique", fmt::format("there is no \"{}\"", word),
                      fmt::format("give {}, or all", base::accepted_values(row)));
}

void interpret_techniques(bench_options& options) {
    for (const std::string& word : options.raw.techniques) {
        if (word == "all") {
            options.all_techniques = true;
            continue;
        }
        options.techniques.push_back(technique_named(word));
    }
    if (options.all_techniques) {
        options.techniques.clear();
        for (int i = 0; i < core::technique_count; ++i) {
            options.techniques.push_back(static_cast<core::technique>(i));
        }
    }
    if (options.techniques.empty()) {
        options.techniques.push_back(base::current_settings().technique);
    }
}

void check_percentages(const std::vector<double>& values, const char* option) {
    for (double value : values) {
        if (!(value >= 0 && value <= 100)) {
            throw usage_error(fmt::format("option {}", option),
                              fmt::format("{} is no percentage", value),
                              "give numbers from 0 to 100");
        }
    }
}

void check_suspensions(const bench_options& options) {
    check_percentages(options.raw.suspend, "--suspend");
    check_percentages(options.raw.phases, "--phases");
    if (!options.raw.phases.empty() && !options.raw.suspend.empty()) {
        throw usage_error("option --phases", "it is given together with --suspend",
                          "give --phases alone: it is the list of rates");
    }
    const auto suspends = [](const std::vector<double>& rates) {
        return std::any_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; });
    };
    const bool rtc = std::count(options.techniques.begin(), options.techniques.end(),
                                core::technique::run_to_completion) != 0;
    if (rtc && !options.all_techniques &&
        (suspends(options.raw.suspend) || suspends(options.raw.phases))) {
        throw usage_error("option --suspend", "run_to_completion is to suspend, and it cannot",
                          "give --suspend 0, or another technique");
    }
}

template <class Number>
void check_range(const std::vector<Number>& values, const char* option, Number low, Number high) {
    for (Number value : values) {
        if (!(value >= low && value <= high)) {
            throw usage_error(fmt::format("option {}", option),
                              fmt::format("its value is {}", value),
                              fmt::format("give a number from {} to {}", low, high));
        }
    }
}

void check_ranges(const bench_options& options) {
    check_range(options.raw.n, "--n", std::uint64_t{1}, most_units);
    check_range(options.raw.streams, "--streams", 1U,
                static_cast<unsigned>(row_named("streams").maximum));
    check_range({options.fib_n}, "--fib-n", 2U, 45U);
    check_range({options.how.repetitions}, "--reps", 1U, 1'000'000U);
    check_range({options.wakes}, "--wakes", 1U, 1'000'000U);
    check_range({options.how.min_ms}, "--min-ms", 0.0, 1e6);
    check_range({options.contend_ms}, "--contend-ms", 0.01, 1e6);
    check_range({options.idle_ms}, "--idle-ms", 1.0, 1e6);
    check_range({options.blocked}, "--blocked", std::uint64_t{0}, most_units);
    if (options.callgrind && options.how.iterations == 0) {
        throw usage_error("option --callgrind-ops", "it comes without --iterations",
                          "give --iterations N, and take the difference of two runs");
    }
}

void interpret_stack_size(bench_options& options) {
    if (options.raw.stack_size.empty()) {
        return;
    }
    const auto& row = row_named("stack_size");
    const auto value = base::parse_setting(row, options.raw.stack_size);
    if (!value) {
        throw usage_error("option --stack-size",
                          fmt::format("its value is \"{}\"", options.raw.stack_size),
                          "give " + base::accepted_values(row));
    }
    options.stack_size = static_cast<std::size_t>(*value);
}

// Values are separated by commas, or the option is repeated; it does not swallow the words that
// follow it.
template <class List>
CLI::Option& add_list(CLI::App& bench, const char* name, List& target, const char* doc) {
    return *bench.add_option(name, target, doc)->delimiter(',')->allow_extra_args(false);
}

std::vector<std::string_view> technique_words() {
    const auto choices = row_named("technique").choices;
    std::vector<std::string_view> words(choices.begin(), choices.end());
    words.emplace_back("all");
    return words;
}

void declare_units(CLI::App& bench, bench_options& options) {
    raw_options& raw = options.raw;
    add_list(bench, "--technique", raw.techniques, "how units start (as LAZULT_TECHNIQUE says)")
        .check(known_words(technique_words()));
    add_list(bench, "--suspend", raw.suspend,
             "fork-join: percentage of units that suspend once (0)");
    add_list(bench, "--phases", raw.phases,
             "fork-join: suspension rates that follow one another, as 0,100,10");
    bench.add_option("--phase-length", options.phase_length,
                     "fork-join: rounds of n units in each phase (all phases equally long)");
    add_list(bench, "--n", raw.n, "units: fork-join 128, memory 1000000, create-latency 100000");
    add_list(bench, "--streams", raw.streams, "execution streams (1; mutex 1,2; wake and idle 2)");
    add_list(bench, "--pool", raw.pools, "the pools of units (private)")
        .check(known_words(pool_names));
    add_list(bench, "--join", raw.joins, "fork-join: how units are joined (each)")
        .check(known_words(join_names));
    bench.add_flag("--child-first", options.child_first,
                   "fork-join: start each unit at once, in the creator's place");
}

void declare_particulars(CLI::App& bench, bench_options& options) {
    bench.add_option("--fib-n", options.fib_n, "fib: which number")->capture_default_str();
    add_list(bench, "--inside", options.inside,
             "mutex: steps of work inside the critical section, when contended (0,20,100)");
    bench.add_option("--outside", options.outside, "mutex: steps of work outside it")
        ->capture_default_str();
    bench.add_option("--contend-ms", options.contend_ms, "mutex: length of a contended sample")
        ->capture_default_str();
    bench.add_option("--blocked", options.blocked, "memory: blocked units (a tenth of --n)");
    bench
        .add_option("--stack-size", options.raw.stack_size, "memory: stacks of blocked units (16K)")
        ->type_name("SIZE");
    bench.add_option("--wakes", options.wakes, "wake: wake-ups in each sample")
        ->capture_default_str();
    bench.add_option("--idle-ms", options.idle_ms, "idle: length of a sample")
        ->capture_default_str();
}

void declare_effort(CLI::App& bench, bench_options& options) {
    bench
        .add_option("--reps", options.how.repetitions,
                    "repetitions, interleaved; one more is discarded")
        ->capture_default_str();
    bench.add_option("--min-ms", options.how.min_ms, "least length of a repetition")
        ->capture_default_str();
    bench.add_option("--iterations", options.how.iterations,
                     "fixed iterations of each repetition instead");
    bench
        .add_option("--json", options.json_file,
                    "write the results there, too; - prints them instead of the table")
        ->type_name("FILE");
    bench
        .add_option(
            "--compare", options.compared_files,
            "measure nothing; print the ratios of two files that --json wrote, A.json B.json")
        ->type_name("FILE")
        ->expected(2);
    // For docs/benchmarks.md and for the benchmarks' own use.
    bench.add_flag("--callgrind-ops", options.callgrind)->group("");
    bench.add_flag(isolated_flag, options.isolated)->group("");
    bench.add_option("--state", options.raw.state)->group("");
}

}  // namespace

std::string name(pool_kind kind) { return std::string(pool_names[static_cast<std::size_t>(kind)]); }
std::string name(join_kind kind) { return std::string(join_names[static_cast<std::size_t>(kind)]); }

std::vector<unsigned> bench_options::streams_or(unsigned otherwise) const {
    return raw.streams.empty() ? std::vector<unsigned>{otherwise} : raw.streams;
}

void declare(CLI::App& bench, bench_options& options) {
    declare_units(bench, options);
    declare_particulars(bench, options);
    declare_effort(bench, options);
}

void interpret(bench_options& options) {
    interpret_techniques(options);
    check_suspensions(options);
    check_ranges(options);
    interpret_stack_size(options);
    for (const std::string& word : options.raw.pools) {
        options.pools.push_back(static_cast<pool_kind>(index_in(pool_names, word, "--pool")));
    }
    for (const std::string& word : options.raw.joins) {
        options.joins.push_back(static_cast<join_kind>(index_in(join_names, word, "--join")));
    }
}

std::vector<core::technique> techniques_that_wait(const bench_options& options,
                                                  const char* benchmark) {
    std::vector<core::technique> able = options.techniques;
    if (std::erase(able, core::technique::run_to_completion) != 0 && !options.all_techniques) {
        throw usage_error(
            "option --technique",
            fmt::format("the units of {} wait, and run_to_completion cannot", benchmark),
            "give another technique");
    }
    return able;
}

base::settings settings_with(unsigned streams) {
    base::settings values = base::current_settings();
    values.streams = streams;
    return values;
}

}  // namespace lazult::tool
