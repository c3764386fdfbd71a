// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/isolated.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& cause) {
    throw failure("bench", cause, "raise the limits on processes and memory, or lower --n");
}

sample parse(const std::string& text) {
    const json words = json::parse(text, nullptr, false);
    if (words.is_discarded()) {
        fail("the fresh process printed no sample");
    }
    sample taken{
        words.at("value"), words.at("cycles"), words.at("elapsed_ns"), words.at("operations"), {}};
    for (const auto& [name, value] : words.at("extras").items()) {
        taken.extras.emplace_back(name, value.get<double>());
    }
    return taken;
}

}  // namespace

sample sample_in_fresh_process(const std::vector<std::string>& arguments,
                               const variable_list& environment) {
    command_line again{"/proc/self/exe", {"bench"}, environment, std::chrono::hours(1)};
    again.arguments.insert(again.arguments.end(), arguments.begin(), arguments.end());
    again.arguments.emplace_back(isolated_flag);
    const finished_process done = run_to_end(again);
    if (!done.went_well()) {
        fail("of the fresh process that takes one sample: " + done.trouble);
    }
    return parse(done.output);
}

void print_sample(const sample& taken) {
    json extras = json::object();
    for (const auto& [name, value] : taken.extras) {
        extras[name] = value;
    }
    const json words{{"value", taken.value},
                     {"cycles", taken.cycles},
                     {"elapsed_ns", taken.elapsed_ns},
                     {"operations", taken.operations},
                     {"extras", extras}};
    fmt::print("{}\n", words.dump());
}

}  // namespace lazult::tool
