// SPDX-License-Identifier: BSD-3-Clause
#include "apps/kmeans/variant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "apps/flights/flights.hpp"
#include "apps/kmeans/experiment.hpp"
#include "apps/kmeans/report.hpp"

namespace {

using namespace kmeans;

problem small_problem() {
    flights::table table = flights::read(FLIGHTS_SAMPLE);
    table.values.resize(3001 * flights::columns.size());
    return {point_set(flights::standardise(table), flights::columns.size()), 24, 4, 7};
}

plan plan_of(std::vector<variant> variants) {
    return {std::move(variants), {1, 6, 24, 48}, {1, 7}, {2, 0, 0, 100, 64}, 1};
}

const auto no_progress = [](std::size_t, std::size_t, const std::string&) {};

TEST(share, covers_everything_once) {
    for (const std::size_t count : {0U, 1U, 7U, 100U}) {
        std::size_t next = 0;
        for (std::size_t index = 0; index < 3; ++index) {
            EXPECT_EQ(share(count, index, 3).first, next);
            next = share(count, index, 3).last;
        }
        EXPECT_EQ(next, count);
    }
}

TEST(summarise, median_of_odd_and_even) {
    EXPECT_EQ(summarise({3, 1, 2}).median, 2);
    EXPECT_EQ(summarise({4, 1, 2, 3}).median, 2.5);
    EXPECT_EQ(summarise({4, 1, 2, 3}).min, 1);
    EXPECT_EQ(summarise({4, 1, 2, 3}).max, 4);
}

TEST(variants, names_are_unique) {
    std::set<std::string> names;
    for (const variant& one : all_variants()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
    }
    EXPECT_GE(names.size(), 10U);
}

class every_variant : public testing::TestWithParam<variant> {};

TEST_P(every_variant, finds_the_sequential_result) {
    const experiment done = conduct(small_problem(), plan_of({GetParam()}), no_progress);
    EXPECT_FALSE(done.outcomes.empty());
    for (const outcome& one : done.outcomes) {
        EXPECT_EQ(one.mismatches, 0U)
            << "locks " << one.what.with.locks << ", block " << one.what.with.block;
    }
}

INSTANTIATE_TEST_SUITE_P(kmeans, every_variant, testing::ValuesIn(all_variants()),
                         [](const auto& info) {
                             std::string name = info.param.name;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

// A variant that forgets the last point, to see that the comparison can fail.
TEST(conduct, no_variant_always_follows_the_same_one) {
    const std::vector<variant> few = {sequential_variants().front(), os_thread_variants().front(),
                                      lazult_variants().front()};
    plan as = plan_of(few);
    as.locks = {24};
    as.blocks = {7};
    as.repetitions = 20;
    std::set<std::pair<std::string, std::string>> neighbours;
    std::map<std::string, int> runs;
    std::string before;
    conduct(small_problem(), as, [&](std::size_t done, std::size_t total, const std::string& name) {
        if (done == total) {
            return;
        }
        neighbours.emplace(before, name);
        ++runs[name];
        before = name;
    });
    for (const variant& one : few) {
        EXPECT_EQ(runs[one.name], 21);
        for (const variant& other : few) {
            EXPECT_TRUE(&one == &other || neighbours.contains({one.name, other.name}))
                << other.name << " never follows " << one.name;
        }
    }
}

TEST(conduct, a_wrong_result_is_noticed) {
    variant forgetful = sequential_variants().front();
    forgetful.execute = [](const problem& of, const settings&) {
        return run{solve(of,
                         [&](const centres& from, assignment& clusters) {
                             std::vector<cluster_sum> sums =
                                 sequential_pass(of.points, from, clusters);
                             --sums[clusters.back()].count;
                             return sums;
                         }),
                   std::nullopt};
    };
    const experiment done = conduct(small_problem(), plan_of({forgetful}), no_progress);
    EXPECT_FALSE(done.all_match());
    EXPECT_NE(throughput_table(done).find("WRONG"), std::string::npos);
    EXPECT_FALSE(to_json(small_problem(), done)[0]["same_result"].get<bool>());
}

TEST(configurations, vary_only_what_a_variant_uses) {
    EXPECT_EQ(configurations(plan_of(sequential_variants())).size(), 1U);
    EXPECT_EQ(configurations(plan_of(os_thread_variants())).size(), 2U * 4U);
    EXPECT_EQ(configurations(plan_of(lazult_variants())).size(), 7U * 4U * 2U);
}

TEST(report, json_carries_what_the_plots_read) {
    const problem of = small_problem();
    const experiment done = conduct(of, plan_of({lazult_variants().front()}), no_progress);
    const nlohmann::json array = to_json(of, done);
    ASSERT_EQ(array.size(), 8U);
    const nlohmann::json& first = array[0];
    EXPECT_EQ(first["variant"], "lazult-adaptive");
    EXPECT_EQ(first["technique"], "adaptive");
    EXPECT_EQ(first["locks"], 1);
    EXPECT_EQ(first["points_to_a_unit"], 1);
    EXPECT_EQ(first["points"], 3001);
    EXPECT_EQ(first["batch"], 64);
    EXPECT_EQ(first["unit"], "points/s");
    EXPECT_GT(first["median"].get<double>(), 0);
    EXPECT_GE(first["units_created"].get<std::uint64_t>(), 4U * 3001U);
    EXPECT_TRUE(first["suspend_percent"].is_number());
}

TEST(report, unwritable_file_is_an_error) {
    EXPECT_THROW(write_json("no-such-folder/x.json", nlohmann::json::array()), std::runtime_error);
}

}  // namespace
