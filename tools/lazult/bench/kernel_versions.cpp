// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/kernel_versions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/lazult/bench/statistics.hpp"
#include "tools/lazult/child_process.hpp"
#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

using nlohmann::json;

struct version {
    std::string_view name;
    const char* calls;
    const char* scheme;
};
// The paper's: with and without the stack, by push and by pull.
constexpr std::array all_versions{
    version{"base", "heap", "push"},
    version{"stack", "stack", "push"},
    version{"pull", "heap", "pull"},
    version{"stack+pull", "stack", "pull"},
};

std::vector<version> wanted_versions(const std::vector<std::string>& names) {
    std::vector<version> wanted;
    for (const version& each : all_versions) {
        const auto is_named = [&](const std::string& name) {
            return name == each.name || name == "all";
        };
        if (std::any_of(names.begin(), names.end(), is_named)) {
            wanted.push_back(each);
        }
    }
    return wanted;
}

// The rows of one run, one for each point of the grid.
json run_version(const std::vector<std::string>& command, const version& of) {
    command_line line;
    line.program = command.front();
    line.arguments.assign(command.begin() + 1, command.end());
    line.arguments.insert(line.arguments.end(), {"--json", "-"});
    line.environment = {{"LAZULT_CONCERT_CALLS", of.calls}, {"LAZULT_CONCERT_SCHEME", of.scheme}};
    line.limit = std::chrono::hours(1);
    const finished_process done = run_to_end(line);
    if (!done.went_well()) {
        throw failure(fmt::format("bench concert, version {}", of.name), done.trouble,
                      "look at what it printed; as root, Open MPI wants OMPI_ALLOW_RUN_AS_ROOT=1 "
                      "and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
    }
    return json::parse(done.output);
}

// One row of each version at one point, and all values of its efficiency.
struct point {
    json row;
    std::vector<double> efficiencies;
};

void add(std::vector<point>& points, const json& rows) {
    points.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        points[i].row = rows[i];
        points[i].efficiencies.push_back(rows[i].at("efficiency").get<double>());
    }
}

void check_equal(const json& expected, const json& found, std::string_view of) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (expected[i].at("work") != found.at(i).at("work")) {
            throw failure(fmt::format("bench concert, version {}", of),
                          fmt::format("it has done other work: {} instead of {}",
                                      found[i].at("work").dump(), expected[i].at("work").dump()),
                          "report this as an error of Lazult");
        }
    }
}

json finished(point p, std::string_view of) {
    std::vector<double>& values = p.efficiencies;
    std::sort(values.begin(), values.end());
    p.row["benchmark"] = "microkernel";
    p.row["version"] = of;
    p.row["efficiency"] = median(values);
    p.row["low"] = values.front();
    p.row["high"] = values.back();
    p.row["repetitions"] = values.size();
    return p.row;
}

void print(const json& rows) {
    fmt::print("{:<12} {:>9} {:>6} {:>8} {:>9} {:<11} {:>10} {:>8} {:>8} {:>9}\n", "pattern",
               "tau us", "sigma", "local %", "threads", "version", "efficiency", "least", "most",
               "contexts");
    for (const json& r : rows) {
        fmt::print("{:<12} {:>9} {:>6} {:>8} {:>9} {:<11} {:>9.1f}% {:>7.1f}% {:>7.1f}% {:>9.2f}\n",
                   r.at("pattern").get<std::string>(), r.at("tau_us").get<double>(),
                   r.at("sigma").get<double>(), r.at("local_percent").get<double>(),
                   r.at("work").at("threads").get<std::uint64_t>(),
                   r.at("version").get<std::string>(), 100 * r.at("efficiency").get<double>(),
                   100 * r.at("low").get<double>(), 100 * r.at("high").get<double>(),
                   r.at("contexts_per_thread").get<double>());
    }
    fmt::print(
        "\nThe work of all versions was the same. In the paper (Cray T3D, 32 nodes) base reaches "
        "70 %\nabove 300 us with more than 80 % local. The stack takes that down to 10 us, and "
        "down "
        "to 60 % local;\npull takes it down to 0 % local. Both together reach it from 10 us at 100 "
        "% local, and from\n150 us at 0 % local.\n");
}

json rows_of(const std::vector<version>& versions, std::vector<std::vector<point>>& points) {
    json rows = json::array();
    for (std::size_t i = 0; i < points.front().size(); ++i) {
        for (std::size_t v = 0; v < versions.size(); ++v) {
            rows.push_back(finished(std::move(points[v][i]), versions[v].name));
        }
    }
    return rows;
}

}  // namespace

void run_kernel_versions(const std::vector<std::string>& command, const kernel_turns& turns,
                         const std::string& json_file) {
    const std::vector<version> versions = wanted_versions(turns.versions);
    std::vector<std::vector<point>> points(versions.size());
    json expected;
    for (unsigned i = 0; i < turns.repetitions; ++i) {
        for (std::size_t v = 0; v < versions.size(); ++v) {
            const json rows = run_version(command, versions[v]);
            if (expected.is_null()) {
                expected = rows;
            }
            check_equal(expected, rows, versions[v].name);
            add(points[v], rows);
        }
    }
    const json rows = rows_of(versions, points);
    if (json_file == "-") {
        fmt::print("{}\n", rows.dump(2));
        return;
    }
    print(rows);
    if (!json_file.empty()) {
        std::ofstream(json_file) << rows.dump(2) << '\n';
    }
}

}  // namespace lazult::tool
