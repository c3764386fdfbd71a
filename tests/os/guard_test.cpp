// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

using namespace lazult;
using os::guard_method;

class guard_test : public testing::Test {
protected:
    void SetUp() override {
        base_ = static_cast<volatile unsigned char*>(os::reserve(3 * page_, page_));
        ASSERT_NE(base_, nullptr);
    }
    void TearDown() override { os::release(const_cast<unsigned char*>(base_), 3 * page_); }

    void* middle() const { return const_cast<unsigned char*>(base_) + page_; }

    // Whatever the method, its neighbours stay usable, and after removal the page is usable too.
    void check_round_trip(guard_method wanted, guard_method expected) {
        base_[page_ - 1] = 1;
        base_[2 * page_] = 2;
        ASSERT_EQ(os::install_guard(middle(), page_, wanted), expected);
        EXPECT_EQ(base_[page_ - 1], 1);
        EXPECT_EQ(base_[2 * page_], 2);
        if (expected == guard_method::madvise || expected == guard_method::mprotect) {
            EXPECT_DEATH(base_[page_] = 1, "");
            EXPECT_DEATH(base_[2 * page_ - 1] = 1, "");
            EXPECT_DEATH(std::fprintf(stderr, "%d", base_[page_]), "");
        }
        os::remove_guard(middle(), page_, expected);
        base_[page_] = 3;
        base_[2 * page_ - 1] = 4;
        EXPECT_EQ(base_[page_], 3);
        EXPECT_EQ(base_[2 * page_ - 1], 4);
        EXPECT_EQ(base_[page_ - 1], 1);
        EXPECT_EQ(base_[2 * page_], 2);
    }

    const std::size_t page_ = os::page_size();
    volatile unsigned char* base_ = nullptr;
};

using guard_death = guard_test;

// Older kernels answer a wish for madvise with mprotect.
TEST_F(guard_death, the_best_method_guards) {
    check_round_trip(guard_method::madvise, os::best_guard_method());
}
TEST_F(guard_death, mprotect_guards) {
    check_round_trip(guard_method::mprotect, guard_method::mprotect);
}
TEST_F(guard_test, canary_round_trip) {
    check_round_trip(guard_method::canary, guard_method::canary);
}
TEST_F(guard_test, none_leaves_the_page_alone) {
    base_[page_ + 5] = 9;
    check_round_trip(guard_method::none, guard_method::none);
}

TEST_F(guard_test, the_canary_notices_every_byte) {
    ASSERT_EQ(os::install_guard(middle(), page_, guard_method::canary), guard_method::canary);
    EXPECT_TRUE(os::canary_intact(middle(), page_));
    for (std::size_t offset : {std::size_t{0}, std::size_t{1}, page_ / 2 + 3, page_ - 1}) {
        const unsigned char before = base_[page_ + offset];
        base_[page_ + offset] = static_cast<unsigned char>(before + 1);
        EXPECT_FALSE(os::canary_intact(middle(), page_)) << offset;
        base_[page_ + offset] = before;
        EXPECT_TRUE(os::canary_intact(middle(), page_));
    }
}

TEST_F(guard_test, a_zeroed_page_is_no_canary) { EXPECT_FALSE(os::canary_intact(middle(), page_)); }

TEST(guard, names_are_the_settings_words) {
    EXPECT_STREQ(os::name(guard_method::madvise), "madvise");
    EXPECT_STREQ(os::name(guard_method::mprotect), "mprotect");
    EXPECT_STREQ(os::name(guard_method::canary), "canary");
    EXPECT_STREQ(os::name(guard_method::none), "none");
}

std::size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) ++count;
    return count;
}

TEST(guard, madvise_guards_need_no_mappings) {
    if (os::best_guard_method() != guard_method::madvise) {
        GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL";
    }
    constexpr std::size_t guards = 10'000;
    const std::size_t page = os::page_size();
    auto* bytes = static_cast<std::byte*>(os::reserve(2 * guards * page, page));
    ASSERT_NE(bytes, nullptr);
    const std::size_t before = mappings();
    for (std::size_t i = 0; i < guards; ++i) {
        ASSERT_EQ(os::install_guard(bytes + 2 * i * page, page, guard_method::madvise),
                  guard_method::madvise);
    }
    EXPECT_LE(mappings(), before + 10);
    os::release(bytes, 2 * guards * page);
}

std::size_t mapping_limit() {
    std::size_t limit = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    return limit;
}

// Every second page is guarded until the kernel refuses to split another mapping.
void run_out_of_mappings(std::size_t pages) {
    const std::size_t page = os::page_size();
    auto* bytes = static_cast<std::byte*>(os::reserve(pages * page, page));
    guard_method method = guard_method::mprotect;
    std::size_t i = 1;
    for (; i < pages && method == guard_method::mprotect; i += 2) {
        method = os::install_guard(bytes + i * page, page, guard_method::mprotect);
    }
    const bool canary =
        method == guard_method::canary && os::canary_intact(bytes + (i - 2) * page, page);
    std::_Exit(canary ? 0 : 1);
}

// Else the slab of the next stacks could not be had.
void map_beside_all_guards(std::size_t pages) {
    const std::size_t page = os::page_size();
    auto* bytes = static_cast<std::byte*>(os::reserve(pages * page, page));
    for (std::size_t i = 1; i < pages; i += 2) {
        os::install_guard(bytes + i * page, page, guard_method::mprotect);
    }
    for (int i = 0; i < 1000; ++i) {
        // By turns, or the kernel would make one mapping of them.
        void* one = i % 2 == 0 ? os::reserve(page, page) : os::reserve_addresses(page, page);
        if (one == nullptr) {
            std::_Exit(1);
        }
    }
    std::_Exit(0);
}

// Of a fault handler's stack, say, of which each OS thread has one.
void guard_again_and_again(std::size_t times) {
    const std::size_t page = os::page_size();
    void* one = os::reserve(3 * page, page);
    guard_method method = guard_method::mprotect;
    for (std::size_t i = 0; i < times && method == guard_method::mprotect; ++i) {
        method = os::install_guard(one, page, guard_method::mprotect);
        os::remove_guard(one, page, method);
    }
    std::_Exit(method == guard_method::mprotect ? 0 : 1);
}

TEST(guard_limit, a_canary_takes_over_at_the_mapping_limit) {
    const std::size_t limit = mapping_limit();
    if (limit == 0 || limit > 300'000) {
        GTEST_SKIP() << "vm.max_map_count is " << limit << ": reaching it takes too long";
    }
    EXPECT_EXIT(run_out_of_mappings(2 * limit), testing::ExitedWithCode(0), "");
}

TEST(guard_limit, mappings_are_left_for_others) {
    const std::size_t limit = mapping_limit();
    if (limit == 0 || limit > 300'000) {
        GTEST_SKIP() << "vm.max_map_count is " << limit << ": reaching it takes too long";
    }
    EXPECT_EXIT(map_beside_all_guards(2 * limit), testing::ExitedWithCode(0), "");
}

TEST(guard_limit, removed_guards_do_not_count) {
    EXPECT_EXIT(guard_again_and_again(100'000), testing::ExitedWithCode(0), "");
}

}  // namespace
