// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/blocks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace {

using namespace lazult::api;

TEST(blocks, are_aligned_and_distinct) {
    for (const std::size_t bytes : {1U, 64U, 65U, 200U, 512U, 513U, 10000U}) {
        std::set<void*> seen;
        for (int i = 0; i < 300; ++i) {
            void* b = take_block(bytes);
            ASSERT_NE(b, nullptr);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 64, 0U);
            std::memset(b, 0x5a, bytes);
            EXPECT_TRUE(seen.insert(b).second);
        }
        for (void* b : seen) {
            give_block(b, bytes);
        }
    }
}

TEST(blocks, are_recycled) {
    if (!recycles_blocks) {
        GTEST_SKIP() << "sanitizers must see each block's end";
    }
    void* first = take_block(100);
    give_block(first, 100);
    EXPECT_EQ(take_block(120), first);
    give_block(first, 120);
}

TEST(blocks, come_back_from_other_threads) {
    if (!recycles_blocks) {
        GTEST_SKIP() << "sanitizers must see each block's end";
    }
    std::set<void*> mine;
    for (int round = 0; round < 50; ++round) {
        std::vector<void*> sent;
        for (int i = 0; i < 1000; ++i) {
            sent.push_back(take_block(64));
            mine.insert(sent.back());
        }
        std::thread([&] {
            for (void* b : sent) {
                give_block(b, 64);
            }
            EXPECT_LT(kept_blocks(), 1000U);
        }).join();
    }
    EXPECT_LT(mine.size(), 3000U);
}

}  // namespace
