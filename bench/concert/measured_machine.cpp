// SPDX-License-Identifier: BSD-3-Clause
#include "bench/concert/measured_machine.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

namespace lazult::bench {
namespace {

using medians = std::map<std::string, double>;  // in nanoseconds, by the row's name

void read(medians& into, const std::string& file) {
    std::ifstream in(file);
    if (!in) {
        throw std::runtime_error("the file " + file + " cannot be read");
    }
    for (const nlohmann::json& row : nlohmann::json::parse(in)) {
        into[row.at("benchmark").get<std::string>()] = row.at("median").get<double>();
    }
}

double of(const medians& all, const std::string& row) {
    const auto found = all.find(row);
    if (found == all.end()) {
        throw std::runtime_error("no file has the row \"" + row +
                                 "\": give what --json wrote of primitives, schemas and objects");
    }
    return found->second;
}

// All sizes cost the same, because the calls that were measured have one. A call of many at once
// costs its rank a message there and one back; the rest of a round trip is the wire.
concert::message_cost message_of(const medians& all) {
    const double one = of(all, "many calls at once") / 2;
    const double there = of(all, "round trip, in a chain") / 2;
    return {16, one, one, std::max(0.0, there - 2 * one)};
}

}  // namespace

concert::machine measured_machine(const std::vector<std::string>& files) {
    medians all;
    for (const std::string& file : files) {
        read(all, file);
    }
    concert::machine m;
    m.name = "here";
    m.heap_call_ns = of(all, "heap call altogether");
    m.fallback_ns = std::max(0.0, of(all, "may-block caller, continuation-passing callee"));
    m.context_ns = std::max(0.0, of(all, "may-block caller, may-block callee") - m.fallback_ns);
    m.future_ns =
        of(all, "make future") + of(all, "touch future, empty") + of(all, "resolve future");
    m.stack_call_ns = std::max(0.0, of(all, "continuation-passing") - of(all, "plain C call"));
    m.push = {message_of(all)};
    m.pull = m.push;
    return m;
}

}  // namespace lazult::bench
