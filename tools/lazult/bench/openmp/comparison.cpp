// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/openmp/comparison.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "tools/lazult/bench/progress.hpp"
#include "tools/lazult/bench/statistics.hpp"
#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

struct process_result {
    std::vector<double> repetitions;
    double threads_created = 0;
};

process_result parse(const std::string& text) {
    process_result found;
    std::istringstream words(text);
    std::string word;
    while (words >> word && word != "threads") {
        found.repetitions.push_back(std::stod(word));
    }
    words >> found.threads_created;
    if (words.fail() || found.repetitions.empty()) {
        throw failure("bench openmp", "the program printed \"" + text + "\"",
                      "this is an error in Lazult: please report it");
    }
    return found;
}

void add_round(openmp_times& times, const contender& who, const openmp_row& row,
               const comparison_effort& how) {
    const command_line command = command_for(
        who, row.policy, how.threads,
        {row.what.name, std::to_string(how.repetitions), fmt::format("{}", how.min_ms)});
    const process_result found = parse(output_of(who, command));
    times.rounds.push_back(median(found.repetitions));
    times.threads_created = std::max(times.threads_created, found.threads_created);
}

std::vector<openmp_row> empty_rows(std::size_t contender_count,
                                   const std::vector<openmp_case>& cases,
                                   const std::vector<wait_policy>& policies) {
    std::vector<openmp_row> rows;
    for (const openmp_case& one : cases) {
        for (const wait_policy policy : policies) {
            rows.push_back({one, policy, std::vector<openmp_times>(contender_count)});
        }
    }
    return rows;
}

times_as_fast summarise(const std::vector<double>& ratios) {
    return {median(ratios), smallest(ratios), largest(ratios)};
}

}  // namespace

times_as_fast against(const openmp_row& row, std::size_t peer) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < row.times[0].rounds.size(); ++i) {
        ratios.push_back(row.times[peer].rounds[i] / row.times[0].rounds[i]);
    }
    return summarise(ratios);
}

times_as_fast against_best(const openmp_row& row) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < row.times[0].rounds.size(); ++i) {
        double best = row.times[1].rounds[i];
        for (std::size_t peer = 2; peer < row.times.size(); ++peer) {
            best = std::min(best, row.times[peer].rounds[i]);
        }
        ratios.push_back(best / row.times[0].rounds[i]);
    }
    return summarise(ratios);
}

std::vector<openmp_case> cases_of(const contender& who) {
    std::istringstream lines(
        output_of(who, command_for(who, wait_policy::standard, 1, {"--list"})));
    std::vector<openmp_case> all;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t tab = line.find('\t');
        all.push_back({line.substr(0, tab), line.substr(tab + 1)});
    }
    return all;
}

std::vector<openmp_case> choose_cases(const std::vector<openmp_case>& all,
                                      const std::vector<std::string>& names) {
    if (names.empty()) {
        return all;
    }
    std::vector<openmp_case> chosen;
    for (const std::string& name : names) {
        const auto at = std::find_if(all.begin(), all.end(),
                                     [&](const openmp_case& c) { return c.name == name; });
        if (at == all.end()) {
            std::vector<std::string> known;
            std::transform(all.begin(), all.end(), std::back_inserter(known),
                           [](const auto& c) { return c.name; });
            throw usage_error("bench openmp", fmt::format("there is no case \"{}\"", name),
                              fmt::format("give some of {}", fmt::join(known, ", ")));
        }
        chosen.push_back(*at);
    }
    return chosen;
}

std::vector<openmp_row> compare(const std::vector<contender>& all,
                                const std::vector<openmp_case>& cases,
                                const std::vector<wait_policy>& policies,
                                const comparison_effort& how) {
    std::vector<openmp_row> rows = empty_rows(all.size(), cases, policies);
    const progress_line progress;
    for (unsigned round = 0; round < how.rounds; ++round) {
        for (openmp_row& row : rows) {
            progress.show(fmt::format("round {} of {}: {}, {}", round + 1, how.rounds,
                                      row.what.name, name(row.policy)));
            // Each round begins with another one, so that none always follows the same neighbour.
            for (std::size_t i = 0; i < all.size(); ++i) {
                const std::size_t turn = (i + round) % all.size();
                add_round(row.times[turn], all[turn], row, how);
            }
        }
    }
    return rows;
}

}  // namespace lazult::tool
