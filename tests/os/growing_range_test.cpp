// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/growing_range.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "lazult/os/memory.hpp"

namespace {

using namespace lazult;

constexpr std::size_t chunk = std::size_t{2} << 20;
constexpr std::size_t most = std::size_t{1} << 30;
constexpr unsigned number = 3;  // nobody else's

TEST(growing_range, makes_chunks_one_behind_another) {
    os::growing_range range(number, chunk, most);
    EXPECT_EQ(range.begin(), 0U);
    for (std::size_t i = 0; i != 20; ++i) {
        void* const made = range.make_chunk(i);
        ASSERT_NE(made, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made), range.begin() + i * chunk);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made) % chunk, 0U);
        EXPECT_EQ(*static_cast<char*>(made), 0);
        std::memset(made, 1, chunk);
    }
    EXPECT_EQ(range.make_chunk(most / chunk), nullptr);
    os::release(reinterpret_cast<void*>(range.begin()), 20 * chunk);
}

TEST(growing_range, does_not_touch_what_stands_behind_it) {
    os::growing_range range(number, chunk, most);
    ASSERT_NE(range.make_chunk(0), nullptr);
    auto* const wall = static_cast<char*>(os::reserve_at(range.begin() + chunk, os::page_size()));
    if (wall == nullptr) {
        GTEST_SKIP() << "the range was reserved at once";
    }
    *wall = 7;
    EXPECT_EQ(range.make_chunk(1), nullptr);
    EXPECT_EQ(*wall, 7);
    EXPECT_NE(range.make_chunk(2), nullptr) << "behind the wall";
    os::release(wall, os::page_size());
    EXPECT_NE(range.make_chunk(1), nullptr);
    os::release(reinterpret_cast<void*>(range.begin()), 3 * chunk);
}

TEST(memory, is_reserved_at_a_place_or_not_at_all) {
    const std::size_t page = os::page_size();
    auto* const there = static_cast<std::byte*>(os::reserve(4 * page, page));
    ASSERT_NE(there, nullptr);
    const auto place = reinterpret_cast<std::uintptr_t>(there);
    EXPECT_EQ(os::reserve_at(place + page, page), nullptr);
    os::release(there + page, page);
    EXPECT_EQ(os::reserve_at(place + page, page), there + page);
    os::release(there, 4 * page);
}

}  // namespace
