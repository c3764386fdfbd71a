// SPDX-License-Identifier: BSD-3-Clause
#include "apps/kmeans/partial_sums.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace kmeans;

// Tells which lock was taken: the last one of this thread.
class recording_lock {
public:
    void lock() { last = this; }
    void unlock() {}
    static inline const recording_lock* last = nullptr;
};

std::size_t distinct_locks(std::size_t clusters, std::size_t workers, std::size_t locks) {
    partial_sums<recording_lock> sums(clusters, 1, workers, locks);
    std::set<const recording_lock*> seen;
    const std::int32_t point = 1;
    for (std::size_t worker = 0; worker < workers; ++worker) {
        for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
            sums.add(worker, cluster, &point);
            seen.insert(recording_lock::last);
        }
    }
    return seen.size();
}

TEST(partial_sums, every_lock_is_used) {
    for (const std::size_t locks : {1U, 2U, 5U, 24U, 48U, 72U, 96U}) {
        EXPECT_EQ(distinct_locks(24, 4, locks), locks);
    }
}

TEST(partial_sums, workers_share_nothing_at_the_most_locks) {
    partial_sums<recording_lock> sums(3, 1, 2, 6);
    const std::int32_t point = 1;
    sums.add(0, 1, &point);
    const recording_lock* const first = recording_lock::last;
    sums.add(1, 1, &point);
    EXPECT_NE(recording_lock::last, first);
}

TEST(partial_sums, impossible_numbers_of_locks) {
    for (const std::size_t locks : {0U, 25U, 47U, 120U}) {
        EXPECT_THROW(partial_sums<recording_lock>(24, 1, 4, locks), std::invalid_argument) << locks;
    }
}

TEST(partial_sums, reduce_adds_the_replicas_and_starts_again) {
    partial_sums<recording_lock> sums(2, 2, 2, 4);
    const std::int32_t point[] = {3, -4};
    sums.add(0, 1, point);
    sums.add(1, 1, point);
    sums.add(1, 0, point);
    const std::vector<cluster_sum> total = sums.reduce();
    EXPECT_EQ(total[0].count, 1);
    EXPECT_EQ(total[1].count, 2);
    EXPECT_EQ(total[1].coordinates[0], 6);
    EXPECT_EQ(total[1].coordinates[1], -8);
    EXPECT_EQ(sums.reduce()[1].count, 0);
}

// The clusters of one lock must not be reachable through two: a wrong mapping would lose updates
// here.
TEST(partial_sums, no_update_is_lost) {
    for (const std::size_t locks : {1U, 3U, 4U, 8U}) {
        partial_sums<std::mutex> sums(4, 1, 2, locks);
        const auto add = [&](std::size_t worker) {
            const std::int32_t point = 1;
            for (std::size_t i = 0; i < 20000; ++i) {
                sums.add(worker, i % 4, &point);
            }
        };
        {
            const std::jthread first(add, 0);
            const std::jthread second(add, 1);
        }
        for (const cluster_sum& one : sums.reduce()) {
            EXPECT_EQ(one.count, 10000);
            EXPECT_EQ(one.coordinates[0], 10000);
        }
    }
}

}  // namespace
