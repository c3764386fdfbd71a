// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/report.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "tools/lazult/bench/statistics.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/machine.hpp"

namespace lazult::tool {
namespace {

using json = nlohmann::ordered_json;

std::vector<double> collect(const measurement& m, double sample::* member) {
    std::vector<double> values;
    for (const sample& s : m.samples) {
        values.push_back(s.*member);
    }
    return values;
}

// (name, median) of everything else that the samples tell.
std::vector<std::pair<std::string, double>> extras_of(const measurement& m) {
    std::vector<std::pair<std::string, double>> medians;
    for (std::size_t i = 0; i < m.samples.front().extras.size(); ++i) {
        std::vector<double> values;
        for (const sample& s : m.samples) {
            values.push_back(s.extras[i].second);
        }
        medians.emplace_back(m.samples.front().extras[i].first, median(values));
    }
    return medians;
}

// Nothing for what is not so.
struct as_remark {
    std::string operator()(const std::string& name, bool value) const {
        return value ? name : std::string();
    }
    std::string operator()(const std::string& name, const std::vector<double>& list) const {
        return fmt::format("{}={:g}", name, fmt::join(list, ","));
    }
    template <class Value>
    std::string operator()(const std::string& name, const Value& value) const {
        return fmt::format("{}={}", name, value);
    }
};

std::string remarks(const measurement& m) {
    std::vector<std::string> words;
    for (const auto& field : m.what.details) {
        words.push_back(std::visit(
            [&](const auto& value) { return as_remark{}(field.first, value); }, field.second));
    }
    for (const auto& [name, value] : extras_of(m)) {
        words.push_back(fmt::format("{}={:.1f}", name, value));
    }
    std::erase(words, "");
    return fmt::format("{}", fmt::join(words, " "));
}

std::optional<double> floor_named(const std::vector<measurement>& results, std::string_view name) {
    for (const measurement& m : results) {
        if (m.what.benchmark == name) {
            return median(collect(m, &sample::value));
        }
    }
    return std::nullopt;
}

std::string ratio(double value, const measurement& m, const std::optional<double>& floor) {
    return floor && m.what.unit == "ns" ? fmt::format("{:.1f}", value / *floor) : "-";
}

void print_row(const measurement& m, const std::optional<double>& ring,
               const std::optional<double>& bare_switch) {
    const std::vector<double> values = collect(m, &sample::value);
    const double cycles = median(collect(m, &sample::cycles));
    const double middle = median(values);
    fmt::print(
        "{:<16} {:<20} {:>7} {:>7} {:>10.2f} {:>10.2f} {:>10.2f} {:<7} {:>9} {:>7} {:>7}  {}\n",
        m.what.benchmark, m.what.technique, fmt::format("{:g}", m.what.suspend_percent),
        m.what.streams, middle, smallest(values), largest(values), m.what.unit,
        cycles > 0 ? fmt::format("{:.1f}", cycles) : "-", ratio(middle, m, ring),
        ratio(middle, m, bare_switch), remarks(m));
}

json as_json(const measurement& m) {
    const std::vector<double> values = collect(m, &sample::value);
    json one{{"benchmark", m.what.benchmark},
             {"technique", m.what.technique},
             {"suspend_percent", m.what.suspend_percent},
             {"streams", m.what.streams},
             {"unit", m.what.unit},
             {"median", median(values)},
             {"min", smallest(values)},
             {"max", largest(values)},
             {"repetitions", values.size()}};
    if (const double cycles = median(collect(m, &sample::cycles)); cycles > 0) {
        one["cycles"] = cycles;
    }
    for (const auto& [name, value] : m.what.details) {
        std::visit([&field = one[name]](const auto& v) { field = v; }, value);
    }
    for (const auto& [name, value] : extras_of(m)) {
        one[name] = value;
    }
    return one;
}

// Each row names the machine, because rows of several files are put together.
json as_json(const std::vector<measurement>& results) {
    const json machine = describe_machine();
    json list = json::array();
    for (const measurement& m : results) {
        list.push_back(as_json(m));
        list.back()["machine"] = machine;
    }
    return list;
}

}  // namespace

void print_table(const std::vector<measurement>& results) {
    const auto ring = floor_named(results, "floor-ring-call");
    const auto bare_switch = floor_named(results, "floor-switch");
    fmt::print("{:<16} {:<20} {:>7} {:>7} {:>10} {:>10} {:>10} {:<7} {:>9} {:>7} {:>7}\n",
               "benchmark", "technique", "suspend", "streams", "median", "min", "max", "unit",
               "cycles", "/ call", "/switch");
    for (const measurement& m : results) {
        print_row(m, ring, bare_switch);
    }
}

void write_json(const std::vector<measurement>& results, const std::string& file) {
    const std::string text = as_json(results).dump(2);
    if (file == "-") {
        fmt::print("{}\n", text);
        return;
    }
    std::ofstream stream(file);
    stream << text << '\n';
    stream.close();
    if (!stream) {
        throw failure("file " + file,
                      std::string("it cannot be written (") + std::strerror(errno) + ")",
                      "give --json a path in a folder that exists");
    }
}

}  // namespace lazult::tool
