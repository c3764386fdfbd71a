// SPDX-License-Identifier: BSD-3-Clause
#include "teams/thread_pool.hpp"

#include <gtest/gtest.h>

namespace lazult::omp {
namespace {

TEST(PoolThread, OrdersAreNumberedWithoutTheOneThatMeansGone) {
    EXPECT_EQ(order_after(0), 1U);
    EXPECT_EQ(order_after(pool_thread::gone - 2), pool_thread::gone - 1);
    EXPECT_EQ(order_after(pool_thread::gone - 1), 0U);
}

// Behind the last number an order is one still: the helper sees that it is not the last one.
TEST(PoolThread, EndsBehindTheLastNumber) {
    std::vector<pool_thread*> helpers;
    take_helpers(helpers, 1);
    ASSERT_EQ(helpers.size(), 1U);
    pool_thread& one = *helpers[0];
    end_helpers(helpers);
    EXPECT_TRUE(helpers.empty());
    EXPECT_EQ(one.order.load(std::memory_order_relaxed), 1U);
    // pairs with: body(), store
    EXPECT_EQ(one.done.load(std::memory_order_acquire), pool_thread::gone);
}

}  // namespace
}  // namespace lazult::omp
