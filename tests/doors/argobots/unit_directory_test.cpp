// SPDX-License-Identifier: BSD-3-Clause
#include "doors/argobots/src/pools/unit_directory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace lazult {
namespace {

struct thread_like {
    int number = 0;
};

const void* address(std::uintptr_t bits) { return reinterpret_cast<const void*>(bits); }

template <class Atomics>
struct unit_directory_test : testing::Test {
    using directory_type = abt::unit_directory<thread_like, Atomics>;
    std::unique_ptr<directory_type> directory = std::make_unique<directory_type>();
};
using policies = testing::Types<ds::std_atomics>;
TYPED_TEST_SUITE(unit_directory_test, policies);

TYPED_TEST(unit_directory_test, knows_nothing_at_first) {
    EXPECT_EQ(this->directory->find(address(0x1000)), nullptr);
    EXPECT_EQ(this->directory->find(nullptr), nullptr);
    this->directory->leave(address(0x1000));
    this->directory->clear();
}

TYPED_TEST(unit_directory_test, finds_what_entered_until_it_leaves) {
    thread_like t;
    ASSERT_TRUE(this->directory->enter(&t, &t));
    EXPECT_EQ(this->directory->find(&t), &t);
    this->directory->leave(&t);
    EXPECT_EQ(this->directory->find(&t), nullptr);
}

TYPED_TEST(unit_directory_test, tells_neighbours_apart) {
    std::array<thread_like, 3> threads;
    for (std::uintptr_t i = 0; i < threads.size(); ++i) {
        ASSERT_TRUE(this->directory->enter(address(0x7f00'0000'1ffc + 4 * i), &threads[i]));
    }
    for (std::uintptr_t i = 0; i < threads.size(); ++i) {
        EXPECT_EQ(this->directory->find(address(0x7f00'0000'1ffc + 4 * i)), &threads[i]);
        EXPECT_EQ(this->directory->find(address(0x7f00'0000'1ffc + 4 * i + 1)), nullptr);
    }
}

// One bit each: every level, and those above what addresses have today.
TYPED_TEST(unit_directory_test, tells_all_bits_apart) {
    std::array<thread_like, 64> threads;
    for (unsigned bit = 2; bit < 64; ++bit) {
        ASSERT_TRUE(this->directory->enter(address(std::uintptr_t{1} << bit), &threads[bit]));
    }
    for (unsigned bit = 2; bit < 64; ++bit) {
        EXPECT_EQ(this->directory->find(address(std::uintptr_t{1} << bit)), &threads[bit]);
    }
    EXPECT_EQ(this->directory->find(address(3)), nullptr);
    EXPECT_EQ(this->directory->find(address(std::uintptr_t{5} << 61)), nullptr);
}

TYPED_TEST(unit_directory_test, is_empty_after_clear_and_serves_again) {
    thread_like t;
    ASSERT_TRUE(this->directory->enter(&t, &t));
    ASSERT_TRUE(this->directory->enter(address(std::uintptr_t{1} << 60), &t));
    this->directory->clear();
    EXPECT_EQ(this->directory->find(&t), nullptr);
    EXPECT_EQ(this->directory->find(address(std::uintptr_t{1} << 60)), nullptr);
    ASSERT_TRUE(this->directory->enter(&t, &t));
    EXPECT_EQ(this->directory->find(&t), &t);
}

// Threads enter units that share tables, and make these tables at the same time.
TYPED_TEST(unit_directory_test, stress_entering_side_by_side) {
    constexpr unsigned workers = 4;
    constexpr unsigned units = 2000;
    std::vector<std::vector<thread_like>> all(workers, std::vector<thread_like>(units));
    std::vector<int> wrong(workers);
    std::vector<std::thread> threads;
    for (unsigned worker = 0; worker < workers; ++worker) {
        threads.emplace_back([&, worker] {
            for (std::uintptr_t i = 0; i < units; ++i) {
                thread_like* const mine = &all[worker][i];
                const void* const unit =
                    address((i << 12 | worker << 2) + (std::uintptr_t{1} << 47));
                if (!this->directory->enter(unit, mine) || this->directory->find(unit) != mine) {
                    ++wrong[worker];
                }
                if (i % 3 == 0) {
                    this->directory->leave(unit);
                }
                const thread_like* const left = this->directory->find(unit);
                wrong[worker] += left == (i % 3 == 0 ? nullptr : mine) ? 0 : 1;
            }
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(workers, 0));
}

}  // namespace
}  // namespace lazult
