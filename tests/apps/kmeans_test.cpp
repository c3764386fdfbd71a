// SPDX-License-Identifier: BSD-3-Clause
#include "apps/kmeans/kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>

namespace {

using namespace kmeans;

result solve_alone(const problem& of) {
    return solve(of, [&](const centres& from, assignment& clusters) {
        return sequential_pass(of.points, from, clusters);
    });
}

point_set points_around(const std::vector<double>& middles, std::size_t each) {
    std::mt19937_64 random(1);
    std::vector<double> values;
    for (std::size_t i = 0; i < each * middles.size(); ++i) {
        const double noise = static_cast<double>(random() % 2001) / 10000 - 0.1;
        values.push_back(middles[i % middles.size()] + noise);
    }
    return point_set(values, 1);
}

TEST(point_set, holds_fixed_point_numbers) {
    const std::vector<double> values{1.0, -0.5, 2.25, 0.0};
    const point_set points(values, 2);
    ASSERT_EQ(points.count(), 2U);
    EXPECT_EQ(points[0][0], 4096);
    EXPECT_EQ(points[0][1], -2048);
    EXPECT_EQ(points[1][0], 9216);
}

TEST(point_set, refuses_what_does_not_fit) {
    const std::vector<double> large{2048.0};
    const std::vector<double> nan{std::nan("")};
    const std::vector<double> three{1, 2, 3};
    EXPECT_THROW(point_set(large, 1), std::invalid_argument);
    EXPECT_THROW(point_set(nan, 1), std::invalid_argument);
    EXPECT_THROW(point_set(three, 2), std::invalid_argument);
    EXPECT_THROW(point_set(three, 0), std::invalid_argument);
    EXPECT_THROW(point_set(std::vector<double>(16, 0.0), 16), std::invalid_argument);
}

TEST(centres, nearest_prefers_the_lowest_number) {
    centres three(3, 1);
    three.set(0, 0, -10);
    three.set(1, 0, 10);
    three.set(2, 0, 10);
    const std::int32_t middle = 0;
    const std::int32_t right = 9;
    EXPECT_EQ(three.nearest(&middle), 0U);
    EXPECT_EQ(three.nearest(&right), 1U);
}

TEST(centres, nearest_is_exact_at_the_largest_coordinates) {
    const std::int32_t far = max_coordinate - 1;
    centres two(2, max_dimensions);
    for (std::size_t d = 0; d < max_dimensions; ++d) {
        two.set(0, d, far);
        two.set(1, d, d == 0 ? far - 1 : far);
    }
    const std::vector<std::int32_t> point(max_dimensions, -far);
    EXPECT_EQ(two.nearest(point.data()), 1U);
}

TEST(centres, update_rounds_to_nearest_and_leaves_empty_clusters) {
    centres two(2, 2);
    two.set(1, 0, 77);
    cluster_sum sum;
    sum.count = 2;
    sum.coordinates = {5, -5};
    EXPECT_TRUE(two.update({sum, {}}));
    EXPECT_EQ(two.get(0, 0), 3);
    EXPECT_EQ(two.get(0, 1), -3);
    EXPECT_EQ(two.get(1, 0), 77);
    EXPECT_FALSE(two.update({sum, {}}));
}

TEST(initial_centres, are_distinct_points_and_follow_the_seed) {
    std::vector<double> values(64);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(i);
    }
    problem of{point_set(values, 1), 64, 1, 5};
    const centres all = initial_centres(of);
    std::set<std::int32_t> found;
    for (std::size_t k = 0; k < 64; ++k) {
        found.insert(all.get(k, 0));
    }
    EXPECT_EQ(found.size(), 64U);
    EXPECT_EQ(initial_centres(of), all);
    of.seed = 6;
    EXPECT_NE(initial_centres(of), all);
}

TEST(initial_centres, impossible_numbers_of_clusters) {
    const std::vector<double> values(100, 0.0);
    EXPECT_THROW(initial_centres({point_set(values, 1), 0, 1, 1}), std::invalid_argument);
    EXPECT_THROW(initial_centres({point_set(values, 1), 65, 1, 1}), std::invalid_argument);
    EXPECT_THROW(initial_centres({point_set(values, 10), 11, 1, 1}), std::invalid_argument);
}

TEST(solve, finds_clusters_that_are_plain_to_see) {
    const problem of{points_around({-5, 5}, 500), 2, 50, 3};
    const result found = solve_alone(of);
    EXPECT_TRUE(found.stable);
    std::vector<std::int32_t> middles{found.final_centres.get(0, 0), found.final_centres.get(1, 0)};
    std::ranges::sort(middles);
    EXPECT_NEAR(middles[0], -5 * 4096, 40);
    EXPECT_NEAR(middles[1], 5 * 4096, 40);
    for (std::size_t i = 2; i < of.points.count(); ++i) {
        ASSERT_EQ(found.clusters[i], found.clusters[i % 2]);
    }
    EXPECT_NE(found.clusters[0], found.clusters[1]);
}

TEST(solve, stops_at_the_limit) {
    const problem of{points_around({0, 1, 2, 3, 4, 5, 6, 7}, 500), 8, 1, 3};
    const result found = solve_alone(of);
    EXPECT_EQ(found.iterations, 1U);
    EXPECT_FALSE(found.stable);
}

}  // namespace
