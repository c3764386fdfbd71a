// SPDX-License-Identifier: BSD-3-Clause
#include "apps/kmeans/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kmeans {
namespace {

std::size_t points_to_a_unit(const configuration& one, std::size_t points) {
    switch (one.of.units) {
        case granularity::block: return one.with.block;
        case granularity::os_block: return one.with.os_block;
        case granularity::range: return points / one.with.workers;
        case granularity::none: return points;
    }
    return points;
}

// What tasks of our OpenMP start by: they have no argument for it.
std::string technique_setting() {
    const char* wanted = std::getenv("LAZULT_TECHNIQUE");
    return wanted == nullptr ? "adaptive" : wanted;
}

nlohmann::json to_json(const outcome& one, const problem& of, const experiment& done) {
    const spread speed = summarise(one.points_per_second);
    nlohmann::json object{
        {"benchmark", "kmeans"},
        {"variant", one.what.of.name},
        {"family", one.what.of.family},
        {"technique", one.what.of.technique},
        {"points_to_a_unit", points_to_a_unit(one.what, of.points.count())},
        {"locks", one.what.of.units == granularity::none ? 0 : one.what.with.locks},
        {"clusters", of.clusters},
        {"workers", one.what.of.units == granularity::none ? 1 : one.what.with.workers},
        {"points", of.points.count()},
        {"iterations", done.expected.iterations},
        {"unit", "points/s"},
        {"median", speed.median},
        {"min", speed.min},
        {"max", speed.max},
        {"repetitions", one.points_per_second.size()},
        {"same_result", one.mismatches == 0}};
    if (!one.suspend_percent.empty()) {
        const spread suspended = summarise(one.suspend_percent);
        object["suspend_percent"] = suspended.median;
        object["suspend_percent_min"] = suspended.min;
        object["suspend_percent_max"] = suspended.max;
        object["units_created"] = one.units_created;
        object["batch"] = one.what.with.batch;
    }
    if (one.what.of.family == "openmp") {
        object["openmp_library"] = openmp_library();
        if (openmp_is_lazult()) {
            object["technique"] = technique_setting();
        }
    }
    return object;
}

std::string row_label(const outcome& one) {
    switch (one.what.of.units) {
        case granularity::block:
            return fmt::format("{}, {} a unit", one.what.of.name, one.what.with.block);
        case granularity::os_block:
            return fmt::format("{}, {} a unit", one.what.of.name, one.what.with.os_block);
        default: return one.what.of.name;
    }
}

std::vector<std::size_t> lock_columns(const experiment& done) {
    std::vector<std::size_t> columns;
    for (const outcome& one : done.outcomes) {
        if (one.what.of.units != granularity::none) {
            columns.push_back(one.what.with.locks);
        }
    }
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    return columns;
}

std::string throughput(const outcome& one) {
    const spread speed = summarise(one.points_per_second);
    const char* mark = one.mismatches == 0 ? "" : " WRONG";
    return fmt::format("{:.2f} ({:.2f}-{:.2f}){}", speed.median / 1e6, speed.min / 1e6,
                       speed.max / 1e6, mark);
}

constexpr std::size_t label_width = 40;
constexpr std::size_t cell_width = 20;

std::string header_line(const std::vector<std::size_t>& columns) {
    std::string line = fmt::format("{:<{}}", "", label_width);
    for (const std::size_t locks : columns) {
        line += fmt::format("{:>{}}", fmt::format("{} lock{}", locks, locks == 1 ? "" : "s"),
                            cell_width);
    }
    return line + '\n';
}

// One line to a variant and block size, one column to a number of locks.
std::string table(const experiment& done, const std::function<std::string(const outcome&)>& cell) {
    const std::vector<std::size_t> columns = lock_columns(done);
    std::string text;
    std::string last_label;
    for (const outcome& one : done.outcomes) {
        const std::string shown = cell(one);
        if (shown.empty()) {
            continue;
        }
        if (row_label(one) != last_label) {
            last_label = row_label(one);
            text += fmt::format("{}{:<{}}", text.empty() ? "" : "\n", last_label, label_width);
        }
        text += fmt::format("{:>{}}", shown, cell_width);
    }
    return text.empty() ? text : header_line(columns) + text + '\n';
}

}  // namespace

nlohmann::json to_json(const problem& of, const experiment& done) {
    nlohmann::json array = nlohmann::json::array();
    for (const outcome& one : done.outcomes) {
        array.push_back(to_json(one, of, done));
    }
    return array;
}

void write_json(const std::string& path, const nlohmann::json& value) {
    std::ofstream file(path);
    file << value.dump(2) << '\n';
    if (!file.flush()) {
        throw std::runtime_error(path + ": cannot be written: " + std::strerror(errno));
    }
}

std::string describe(const problem& of, const experiment& done, const settings& common) {
    std::string text = fmt::format(
        "k-means: {} points of {} features, {} clusters, {} iterations ({}), {} workers\n",
        of.points.count(), of.points.dimensions(), of.clusters, done.expected.iterations,
        done.expected.stable ? "stable" : "the limit", common.workers);
    if (const std::string library = openmp_library(); !library.empty()) {
        text += fmt::format("OpenMP by {}\n", library);
    }
    return text;
}

std::string throughput_table(const experiment& done) {
    std::string lockless;
    for (const outcome& one : done.outcomes) {
        if (one.what.of.units == granularity::none) {
            lockless += fmt::format("{:<{}}{:>{}}  no threads, no locks\n", one.what.of.name,
                                    label_width, throughput(one), cell_width);
        }
    }
    return lockless + table(done, [](const outcome& one) {
               return one.what.of.units == granularity::none ? "" : throughput(one);
           });
}

std::string suspension_table(const experiment& done) {
    return table(done, [](const outcome& one) {
        return one.suspend_percent.empty()
                   ? ""
                   : fmt::format("{:.2f}", summarise(one.suspend_percent).median);
    });
}

}  // namespace kmeans
