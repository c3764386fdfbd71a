// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace ioservice {
namespace {

spread spread_over(const outcome& of, const std::function<double(const run_result&)>& figure) {
    std::vector<double> values;
    for (const run_result& each : of.rounds) {
        values.push_back(figure(each));
    }
    return spread_of(values);
}

std::string words(const spread& of, int digits) {
    return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", of.median, digits, of.least, digits, of.most,
                       digits);
}

using line = std::array<std::string, 7>;

line line_of(const outcome& of) {
    const summary found = summarise(of);
    line made{of.of.name, words(found.all_steps_ms, 3), words(found.step_ms, 3), "", "", "", ""};
    if (of.of.by != servers::none) {
        made[3] = words(found.requests_per_second, 0);
        made[4] = fmt::format("{:.1f}", found.mib_per_second.median);
        made[5] = words(found.get_median_us, 0);
        made[6] = words(found.get_p99_us, 0);
    }
    return made;
}

nlohmann::json to_json(const spread& of) {
    return {{"median", of.median}, {"least", of.least}, {"most", of.most}};
}

}  // namespace

double percentile(std::vector<double> values, double share) {
    if (values.empty()) {
        return 0;
    }
    const auto rank = std::ceil(share * static_cast<double>(values.size()));
    const auto at = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::ranges::nth_element(values, values.begin() + at);
    return values[static_cast<std::size_t>(at)];
}

spread spread_of(std::vector<double> values) {
    if (values.empty()) {
        return {};
    }
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    const double median =
        values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {median, values.front(), values.back()};
}

summary summarise(const outcome& of) {
    std::vector<double> steps;
    for (const run_result& each : of.rounds) {
        steps.insert(steps.end(), each.step_ms.begin(), each.step_ms.end());
    }
    constexpr double mib = 1 << 20;
    const auto per_second = [](double what, const run_result& run) { return what / run.seconds; };
    return {
        spread_of(steps),
        spread_over(of, [](const run_result& run) { return spread_of(run.step_ms).median; }),
        spread_over(of,
                    [&](const run_result& run) {
                        return per_second(static_cast<double>(run.load.requests), run);
                    }),
        spread_over(of,
                    [&](const run_result& run) {
                        return per_second(static_cast<double>(run.load.bytes) / mib, run);
                    }),
        spread_over(of, [](const run_result& run) { return percentile(run.load.get_us, 0.5); }),
        spread_over(of, [](const run_result& run) { return percentile(run.load.get_us, 0.99); })};
}

std::string table(const std::vector<outcome>& all) {
    std::vector<line> lines{{"service", "step, ms", "rounds' medians, ms", "requests/s", "MiB/s",
                             "get, us", "get's 99th percentile, us"}};
    for (const outcome& each : all) {
        lines.push_back(line_of(each));
    }
    line widths_in_dashes;
    for (std::size_t column = 0; column < widths_in_dashes.size(); ++column) {
        std::size_t width = 0;
        for (const line& each : lines) {
            width = std::max(width, each[column].size());
        }
        for (line& each : lines) {
            each[column].resize(width, ' ');
        }
        widths_in_dashes[column].assign(width, '-');
    }
    lines.insert(lines.begin() + 1, widths_in_dashes);
    std::string made;
    for (const line& each : lines) {
        for (const std::string& cell : each) {
            made += "| " + cell + " ";
        }
        made += "|\n";
    }
    return made;
}

nlohmann::json to_json(const plan& as, const std::vector<outcome>& all) {
    nlohmann::json made{{"streams", as.streams}, {"service_streams", as.service_streams},
                        {"servers", as.servers}, {"clients", as.load.clients},
                        {"keys", as.load.keys},  {"blocks", as.load.most_blocks},
                        {"rate", as.load.rate},  {"direct", as.direct},
                        {"sync", as.sync},       {"grid", as.grid},
                        {"tasks", as.tasks},     {"steps", as.steps},
                        {"rounds", as.rounds},   {"modes", nlohmann::json::array()}};
    for (const outcome& each : all) {
        const summary found = summarise(each);
        made["modes"].push_back({{"mode", each.of.name},
                                 {"all_steps_ms", to_json(found.all_steps_ms)},
                                 {"step_ms", to_json(found.step_ms)},
                                 {"requests_per_second", to_json(found.requests_per_second)},
                                 {"mib_per_second", to_json(found.mib_per_second)},
                                 {"get_median_us", to_json(found.get_median_us)},
                                 {"get_p99_us", to_json(found.get_p99_us)}});
    }
    return made;
}

}  // namespace ioservice
