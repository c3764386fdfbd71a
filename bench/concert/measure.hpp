// SPDX-License-Identifier: BSD-3-Clause
// What the measurements of methods and objects share: times, and rows of a table.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lazult::bench {

struct row {
    std::string what;
    double median_ns = 0;
    double low_ns = 0;  // the 10th and the 90th percentile
    double high_ns = 0;
    double ratio = 0;  // to what `ratio_to` says
    std::string ratio_to;
    std::optional<double> paper_us;  // on the paper's machine, a Cray T3D
    std::optional<double> contexts;  // made for each call
    std::size_t bytes = 0;           // of a message there, and back
};

struct effort {
    unsigned rounds = 200;
};

using clock = std::chrono::steady_clock;
inline double ns_since(clock::time_point then) {
    return std::chrono::duration<double, std::nano>(clock::now() - then).count();
}

// Of a non-empty list.
inline double quantile(std::vector<double>& values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

// The median and its spread, in `r`.
inline row filled(row r, std::vector<double> values) {
    r.median_ns = quantile(values, 0.5);
    r.low_ns = quantile(values, 0.1);
    r.high_ns = quantile(values, 0.9);
    return r;
}

// The row named `to` is there already.
inline void compare(row& r, const std::vector<row>& rows, const std::string& to) {
    for (const row& each : rows) {
        if (each.what == to) {
            r.ratio = r.median_ns / each.median_ns;
            r.ratio_to = to;
        }
    }
}

// Figures that are measured by turns: each has a list of values, one for each round.
class figures {
public:
    std::vector<double>& of(const std::string& what) {
        for (auto& [name, values] : all_) {
            if (name == what) {
                return values;
            }
        }
        return all_.emplace_back(what, std::vector<double>()).second;
    }
    void add(const std::string& what, double ns) { of(what).push_back(ns); }
    // The first round finds neither memory nor code in the caches.
    void forget() { all_.clear(); }

private:
    std::vector<std::pair<std::string, std::vector<double>>> all_;
};

// Each appends its rows.
void measure_primitives(const effort& how, std::vector<row>& rows);
void measure_schemas(const effort& how, std::vector<row>& rows);
void measure_fib(const effort& how, std::vector<row>& rows);
// On two ranks or more; the rows are rank 0's.
void measure_objects(const effort& how, std::vector<row>& rows);

}  // namespace lazult::bench
