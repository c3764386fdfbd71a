// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/compare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

using json = nlohmann::ordered_json;

struct result {
    std::string what;  // everything that describes the row
    double median = 0;
    double least = 0;
    double most = 0;
};

struct results {
    std::string machine;
    std::vector<result> rows;
};

[[noreturn]] void refuse(const std::string& file, const std::string& cause) {
    throw usage_error("file " + file, cause,
                      "give two files that `lazult bench NAME --json FILE` wrote");
}

// Fractions were measured beside the median. All else tells one row from another.
bool describes(const std::string& field, const json& value) {
    constexpr std::array<std::string_view, 7> others{"median", "min",     "max",    "repetitions",
                                                     "cycles", "machine", "verdict"};
    if (std::find(others.begin(), others.end(), field) != others.end()) {
        return false;
    }
    return !value.is_number_float() || field == "suspend_percent";
}

std::string word(const std::string& field, const json& value) {
    if (field == "benchmark" || field == "technique" || field == "unit") {
        return value.get<std::string>();
    }
    return fmt::format("{}={}", field, value.is_string() ? value.get<std::string>() : value.dump());
}

std::string description(const json& row) {
    std::string words;
    for (const auto& [field, value] : row.items()) {
        if (describes(field, value)) {
            words += (words.empty() ? "" : " ") + word(field, value);
        }
    }
    return words;
}

json parsed(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) {
        refuse(file, "it cannot be read");
    }
    json all = json::parse(stream, nullptr, false);
    if (!all.is_array() || all.empty()) {
        refuse(file, "it is not a JSON array of results");
    }
    return all;
}

results read(const std::string& file) {
    const json all = parsed(file);
    results found;
    try {
        for (const json& row : all) {
            found.rows.push_back({description(row), row.at("median").get<double>(),
                                  row.at("min").get<double>(), row.at("max").get<double>()});
        }
        // Files of older versions do not say it.
        found.machine =
            all.front().contains("machine") ? all.front()["machine"].dump() : "unknown machine";
    } catch (const json::exception&) {
        refuse(file, "one of its rows is no result");
    }
    return found;
}

// The first row of that description, which is taken out.
std::optional<result> take(std::vector<result>& rows, const std::string& what) {
    const auto at =
        std::find_if(rows.begin(), rows.end(), [&](const result& r) { return r.what == what; });
    if (at == rows.end()) {
        return std::nullopt;
    }
    result taken = *at;
    rows.erase(at);
    return taken;
}

std::string ratio(double value, double over) {
    return over > 0 ? fmt::format("{:.3f}", value / over) : "-";
}

bool is_beyond_spread(const result& a, const result& b) {
    return a.most < b.least || b.most < a.least;
}

void print_pair(const result& a, const result& b) {
    fmt::print("{:>12.2f} {:>12.2f} {:>8}{} {}\n", a.median, b.median, ratio(b.median, a.median),
               is_beyond_spread(a, b) ? "*" : " ", a.what);
}

void print_machines(const results& a, const results& b) {
    fmt::print("A: {}\nB: {}\n", a.machine, b.machine);
    if (a.machine != b.machine) {
        fmt::print("The machines differ, so a ratio says little about the code.\n");
    }
}

void print_rest(const std::vector<result>& rows, const char* file) {
    for (const result& r : rows) {
        fmt::print("only in {}: {:.2f} {}\n", file, r.median, r.what);
    }
}

}  // namespace

void compare_results(const std::string& a_file, const std::string& b_file) {
    results a = read(a_file);
    results b = read(b_file);
    print_machines(a, b);
    fmt::print("{:>12} {:>12} {:>8}  (* beyond the spread of both)\n", "A", "B", "B/A");
    std::vector<result> only_a;
    for (const result& one : a.rows) {
        if (const auto other = take(b.rows, one.what)) {
            print_pair(one, *other);
        } else {
            only_a.push_back(one);
        }
    }
    print_rest(only_a, "A");
    print_rest(b.rows, "B");
}

}  // namespace lazult::tool
