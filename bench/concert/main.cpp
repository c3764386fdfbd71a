// SPDX-License-Identifier: BSD-3-Clause
// Usage: concert-bench WHAT [--json FILE] [--rounds N] [--seconds S] [--tau LIST] [--local LIST]
//        [--sigma LIST] [--pattern LIST]
//        [--simulate MACHINE] [--costs FILES] [--ranks N] [--threads N] [--version LIST]
//        [--bytes LIST]
// WHAT: primitives, schemas and fib, in one process; objects and microkernel, on two ranks or more;
// with
// --simulate, microkernel and fig10 in one process.
// `lazult bench concert` starts it, and interprets what the user gives.
#include "bench/concert/measure.hpp"
#include "bench/concert/microkernel.hpp"
#include "bench/concert/simulated.hpp"

#include <lazult_concert.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <string_view>

namespace lazult::bench {
namespace {

struct request {
    std::string what;
    effort how;
    kernel_grid grid;
    std::string json_file;
    simulated_request simulated;
};

// Separated by commas.
std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        words.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
}
std::vector<double> numbers_of(std::string_view list) {
    std::vector<double> numbers;
    for (const std::string& word : words_of(list)) {
        numbers.push_back(std::strtod(word.c_str(), nullptr));
    }
    return numbers;
}

void set(request& wanted, std::string_view option, const char* value) {
    if (option == "--json") {
        wanted.json_file = value;
    } else if (option == "--rounds") {
        wanted.how.rounds = static_cast<unsigned>(std::max(1L, std::strtol(value, nullptr, 10)));
    } else if (option == "--seconds") {
        wanted.grid.seconds = std::strtod(value, nullptr);
    } else if (option == "--tau") {
        wanted.grid.tau_us = numbers_of(value);
    } else if (option == "--local") {
        wanted.grid.local = numbers_of(value);
    } else if (option == "--sigma") {
        wanted.grid.sigma = numbers_of(value);
    } else if (option == "--pattern") {
        wanted.grid.patterns = words_of(value);
    } else if (option == "--simulate") {
        wanted.simulated.machine = value;
    } else if (option == "--costs") {
        wanted.simulated.cost_files = words_of(value);
    } else if (option == "--ranks") {
        wanted.simulated.grid.ranks = static_cast<int>(std::strtol(value, nullptr, 10));
    } else if (option == "--bytes") {
        wanted.simulated.grid.bytes.clear();
        for (const double each : numbers_of(value)) {
            wanted.simulated.grid.bytes.push_back(static_cast<std::size_t>(each));
        }
    } else if (option == "--threads") {
        wanted.simulated.grid.threads = std::strtoul(value, nullptr, 10);
    } else if (option == "--version") {
        wanted.simulated.grid.versions = words_of(value);
    }
}

// Ticks of the time-stamp counter in a nanosecond; 0: this processor has none.
double tsc_rate() {
#if defined(__x86_64__)
    const auto began = clock::now();
    const std::uint64_t from = __builtin_ia32_rdtsc();
    while (ns_since(began) < 2e7) {
    }
    const std::uint64_t to = __builtin_ia32_rdtsc();
    return static_cast<double>(to - from) / ns_since(began);
#else
    return 0;
#endif
}

void print(const std::vector<row>& rows, double rate) {
    constexpr double t3d_cycles_of_us = 150;
    fmt::print("{:<47} {:>11} {:>11} {:>11} {:>9} {:>9} {:>10}  {}\n", "what", "median ns",
               "10 % ns", "90 % ns", "cycles", "T3D us", "T3D cycles", "ratio");
    for (const row& r : rows) {
        const bool has_paper = r.paper_us.has_value();
        const double us = r.paper_us.value_or(0);
        fmt::print("{:<47} {:>11.2f} {:>11.2f} {:>11.2f} {:>9} {:>9} {:>10}  {}\n", r.what,
                   r.median_ns, r.low_ns, r.high_ns,
                   rate != 0 ? fmt::format("{:.1f}", r.median_ns * rate) : "",
                   has_paper ? fmt::format("{:.2f}", us) : "",
                   has_paper ? fmt::format("{:.0f}", us * t3d_cycles_of_us) : "",
                   r.ratio_to.empty() ? "" : fmt::format("{:.2f} of {}", r.ratio, r.ratio_to));
    }
}

nlohmann::json json_of(const std::vector<row>& rows, double rate) {
    nlohmann::json all = nlohmann::json::array();
    for (const row& r : rows) {
        nlohmann::json one = {{"benchmark", r.what},
                              {"unit", "ns"},
                              {"median", r.median_ns},
                              {"low", r.low_ns},
                              {"high", r.high_ns}};
        if (rate != 0) {
            one["cycles"] = r.median_ns * rate;
        }
        if (r.paper_us) {
            one["t3d_us"] = *r.paper_us;
        }
        if (r.contexts) {
            one["contexts"] = *r.contexts;
        }
        if (r.bytes != 0) {
            one["bytes"] = r.bytes;
        }
        if (!r.ratio_to.empty()) {
            one["ratio"] = r.ratio;
            one["ratio_to"] = r.ratio_to;
        }
        all.push_back(one);
    }
    return all;
}

nlohmann::json json_of(const std::vector<kernel_row>& rows) {
    nlohmann::json all = nlohmann::json::array();
    for (const kernel_row& r : rows) {
        all.push_back({{"pattern", r.shape.pattern},
                       {"tau_us", r.shape.tau_us},
                       {"sigma", r.shape.sigma},
                       {"local_percent", r.shape.local},
                       {"work",
                        {{"threads", r.work.threads},
                         {"remote_threads", r.work.remote_threads},
                         {"accesses", r.work.accesses},
                         {"hottest_accesses", r.work.hottest_accesses},
                         {"result", r.work.result}}},
                       {"efficiency", r.efficiency},
                       {"elapsed_ns", r.elapsed_ns},
                       {"contexts_per_thread", r.contexts},
                       {"served_later_per_remote_thread", r.served_later}});
    }
    return all;
}

void print(const std::vector<kernel_row>& rows) {
    fmt::print("{:<12} {:>9} {:>6} {:>8} {:>9} {:>11} {:>9} {:>13}\n", "pattern", "tau us", "sigma",
               "local %", "threads", "efficiency", "contexts", "served later");
    for (const kernel_row& r : rows) {
        fmt::print("{:<12} {:>9} {:>6} {:>8} {:>9} {:>10.1f}% {:>9.2f} {:>13.2f}\n",
                   r.shape.pattern, r.shape.tau_us, r.shape.sigma, r.shape.local, r.work.threads,
                   100 * r.efficiency, r.contexts, r.served_later);
    }
}

void write(const nlohmann::json& all, const std::string& file) {
    if (file == "-") {
        fmt::print("{}\n", all.dump(2));
    } else if (!file.empty()) {
        std::ofstream(file) << all.dump(2) << '\n';
    }
}

int run_kernel(const request& wanted) {
    const std::vector<kernel_row> rows = run_microkernel(wanted.grid);
    if (!rows.empty() && wanted.json_file != "-") {
        print(rows);
    }
    if (!rows.empty()) {
        write(json_of(rows), wanted.json_file);
    }
    return 0;
}

int run_simulation(const request& wanted) {
    simulated_request simulated = wanted.simulated;
    simulated.what = wanted.what;
    simulated.json_file = wanted.json_file;
    simulated.grid.kernel = wanted.grid;
    return run_simulated(simulated);
}

int run(const request& wanted) {
    if (!wanted.simulated.machine.empty()) {
        return run_simulation(wanted);
    }
    std::vector<row> rows;
    if (wanted.what == "microkernel") {
        return run_kernel(wanted);
    }
    if (wanted.what == "primitives") {
        measure_primitives(wanted.how, rows);
    } else if (wanted.what == "schemas") {
        measure_schemas(wanted.how, rows);
    } else if (wanted.what == "fib") {
        measure_fib(wanted.how, rows);
    } else if (wanted.what == "objects") {
        measure_objects(wanted.how, rows);
    } else {
        fmt::print(stderr,
                   "concert-bench: give primitives, schemas, fib, objects or microkernel\n");
        return 2;
    }
    if (rows.empty()) {
        return 0;  // another rank prints
    }
    const double rate = tsc_rate();
    if (wanted.json_file != "-") {
        print(rows, rate);
    }
    write(json_of(rows, rate), wanted.json_file);
    return 0;
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    using namespace lazult::bench;
    request wanted;
    wanted.what = argc > 1 ? argv[1] : "";
    for (int i = 2; i + 1 < argc; i += 2) {
        set(wanted, argv[i], argv[i + 1]);
    }
    try {
        return run(wanted);
    } catch (const std::exception& e) {
        fmt::print(stderr, "concert-bench: {}\n", e.what());
        std::_Exit(1);  // other ranks may wait; the launcher ends them
    }
}
