// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/ds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace lazult {
namespace {

constexpr std::memory_order relaxed = std::memory_order_relaxed;
constexpr std::memory_order acq_rel = std::memory_order_acq_rel;

static_assert(sizeof(ds::std_atomics::atomic<std::uint32_t>) == sizeof(std::uint32_t));

template <class Atomics>
struct atomics_test : testing::Test {};
using policies = testing::Types<ds::std_atomics>;
TYPED_TEST_SUITE(atomics_test, policies);

TYPED_TEST(atomics_test, operations_do_what_they_say) {
    typename TypeParam::template atomic<int> word{1};
    EXPECT_EQ(word.exchange(2, acq_rel), 1);
    EXPECT_EQ(word.fetch_add(5, relaxed), 2);
    EXPECT_EQ(word.fetch_sub(1, relaxed), 7);
    EXPECT_EQ(word.fetch_or(8, relaxed), 6);
    EXPECT_EQ(word.fetch_and(12, relaxed), 14);
    int expected = 0;
    EXPECT_FALSE(word.compare_exchange_strong(expected, 3, acq_rel, relaxed));
    EXPECT_EQ(expected, 12);
    EXPECT_TRUE(word.compare_exchange_strong(expected, 3, acq_rel, relaxed));
    word.store(4, relaxed);
    expected = 4;
    while (!word.compare_exchange_weak(expected, 9, acq_rel, relaxed)) {
    }
    EXPECT_EQ(word.load(relaxed), 9);
}

TYPED_TEST(atomics_test, starts_with_zero) {
    typename TypeParam::template atomic<void*> word;
    EXPECT_EQ(word.load(relaxed), nullptr);
}

// Store buffering with the asymmetric barrier: never do both threads miss the other's store.
TYPED_TEST(atomics_test, barriers_order_a_store_before_a_load) {
    constexpr int rounds = 3000;
    typename TypeParam::template atomic<int> fast{0};
    typename TypeParam::template atomic<int> slow{0};
    typename TypeParam::template atomic<int> arrived{0};
    std::vector<int> fast_saw(rounds + 1);
    std::vector<int> slow_saw(rounds + 1);
    const auto meet = [&](int round) {
        arrived.fetch_add(1, acq_rel);
        while (arrived.load(std::memory_order_acquire) < 2 * round) {
            std::this_thread::yield();
        }
    };
    std::thread other([&] {
        for (int round = 1; round <= rounds; ++round) {
            meet(round);
            slow.store(round, relaxed);
            TypeParam::heavy_barrier();
            slow_saw[static_cast<std::size_t>(round)] = fast.load(relaxed);
        }
    });
    for (int round = 1; round <= rounds; ++round) {
        meet(round);
        fast.store(round, relaxed);
        TypeParam::light_barrier();
        fast_saw[static_cast<std::size_t>(round)] = slow.load(relaxed);
    }
    other.join();
    for (std::size_t round = 1; round <= rounds; ++round) {
        const int now = static_cast<int>(round);
        EXPECT_TRUE(fast_saw[round] >= now || slow_saw[round] >= now) << "round " << round;
    }
}

TYPED_TEST(atomics_test, futex_returns_at_once_for_another_value) {
    typename TypeParam::template atomic<std::uint32_t> word{1};
    TypeParam::futex_wait(word, 0, -1);
    EXPECT_EQ(TypeParam::futex_wake(word, 1), 0);
    EXPECT_FALSE(TypeParam::futex_wait(word, 1, os::now_ns() + 1000));
}

}  // namespace
}  // namespace lazult
