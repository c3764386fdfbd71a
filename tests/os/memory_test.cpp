// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include <sys/mman.h>

#include "tests/support/sizes.hpp"

namespace {

using namespace lazult;

using support::mib;

bool is_mapped(void* page) {
    return ::msync(page, os::page_size(), MS_ASYNC) == 0 || errno != ENOMEM;
}

TEST(memory, reserves_zeroed_writable_aligned_space) {
    for (std::size_t alignment :
         {std::size_t{1}, os::page_size(), std::size_t{65536}, 2 * mib, 64 * mib}) {
        SCOPED_TRACE(alignment);
        auto* bytes = static_cast<unsigned char*>(os::reserve(3 * os::page_size() - 1, alignment));
        ASSERT_NE(bytes, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % std::max(alignment, os::page_size()),
                  0U);
        EXPECT_EQ(bytes[0], 0);
        bytes[3 * os::page_size() - 1] = 1;
        os::release(bytes, 3 * os::page_size() - 1);
        EXPECT_FALSE(is_mapped(bytes));
        EXPECT_FALSE(is_mapped(bytes + 2 * os::page_size()));
    }
}

// Whether the mapping that an address lies in goes into core files.
bool is_dumped(const void* address) {
    std::ifstream maps("/proc/self/smaps");
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    bool is_ours = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t from = 0;
        std::uintptr_t to = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
            is_ours = from <= wanted && wanted < to;
        } else if (is_ours && line.starts_with("VmFlags:")) {
            return line.find(" dd") == std::string::npos;
        }
    }
    ADD_FAILURE() << "no such mapping";
    return false;
}

TEST(memory, core_files_hold_what_is_committed_of_a_reservation) {
    auto* memory = static_cast<std::byte*>(os::reserve_addresses(8 * mib, 2 * mib));
    ASSERT_NE(memory, nullptr);
    EXPECT_FALSE(is_dumped(memory));
    ASSERT_TRUE(os::commit(memory, 2 * mib));
    EXPECT_TRUE(is_dumped(memory));
    EXPECT_FALSE(is_dumped(memory + 2 * mib));
    os::release(memory, 8 * mib);
}

TEST(memory, keeps_nothing_of_what_it_trims) {
    const std::size_t alignment = 16 * mib;
    auto* bytes = static_cast<unsigned char*>(os::reserve(mib, alignment));
    ASSERT_NE(bytes, nullptr);
    EXPECT_FALSE(is_mapped(bytes + mib));
    os::release(bytes, mib);
}

TEST(memory, keeps_addresses_apart_from_memory) {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    constexpr std::size_t step = std::size_t{2} << 20;
    auto* memory = static_cast<std::byte*>(os::reserve_addresses(bytes, step));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % step, 0U);
    ASSERT_TRUE(os::commit(memory + step, step));
    memory[step] = std::byte{1};
    EXPECT_EQ(memory[2 * step - 1], std::byte{0});
    os::release(memory, bytes);
}

TEST(memory, refuses_what_cannot_be) {
    constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(os::reserve(0, 1), nullptr);
    EXPECT_EQ(os::reserve(everything, 1), nullptr);
    EXPECT_EQ(os::reserve(everything - 2 * os::page_size(), 4 * os::page_size()), nullptr);
    EXPECT_EQ(os::reserve(everything / 4, 1), nullptr);
    EXPECT_EQ(os::reserve(mib, os::page_size() * 3), nullptr);
    os::release(nullptr, 1);
}

TEST(memory, commits_on_touch_and_gives_back_on_discard) {
    const std::size_t size = 64 * mib;
    auto* bytes = static_cast<unsigned char*>(os::reserve(size, os::page_size()));
    ASSERT_NE(bytes, nullptr);
    os::advise_small(bytes, size);
    const std::size_t before = os::resident_bytes();
    ASSERT_GT(before, 0U);
    std::memset(bytes, 1, size);
    const std::size_t touched = os::resident_bytes();
    EXPECT_GE(touched, before + size * 3 / 4);
    os::discard(bytes, size);
    EXPECT_LE(os::resident_bytes(), touched - size * 3 / 4);
    EXPECT_EQ(bytes[0], 0);
    EXPECT_EQ(bytes[size - 1], 0);
    os::release(bytes, size);
}

TEST(memory, huge_page_advice_fails_on_nothing_and_harms_nothing) {
    EXPECT_FALSE(os::advise_huge(reinterpret_cast<void*>(1), mib));
    auto* bytes = static_cast<unsigned char*>(os::reserve(4 * mib, 2 * mib));
    ASSERT_NE(bytes, nullptr);
    if (os::advise_huge(bytes, 4 * mib)) {
        EXPECT_TRUE(os::advise_small(bytes, 4 * mib));
    }
    bytes[mib] = 5;
    EXPECT_EQ(bytes[mib], 5);
    os::release(bytes, 4 * mib);
}

TEST(memory, tells_which_page_was_touched) {
    const std::size_t page = os::page_size();
    constexpr std::size_t pages = 100;
    auto* const first = static_cast<std::byte*>(os::reserve(pages * page, page));
    ASSERT_NE(first, nullptr);
    std::byte* const end = first + pages * page;
    os::advise_small(first, pages * page);
    if (!os::first_touched_page(first, end)) {
        os::release(first, pages * page);
        GTEST_SKIP() << "the system does not tell";
    }
    EXPECT_EQ(os::first_touched_page(first, end), end);
    first[90 * page + 7] = std::byte{1};
    EXPECT_EQ(os::first_touched_page(first, end), first + 90 * page);
    EXPECT_EQ(os::first_touched_page(first + 91 * page, end), end);
    first[40 * page] = std::byte{0};  // a zero is a touch, too
    EXPECT_EQ(os::first_touched_page(first, end), first + 40 * page);
    EXPECT_TRUE(os::discard(first, 80 * page));
    EXPECT_EQ(os::first_touched_page(first, end), first + 90 * page);
    EXPECT_EQ(os::first_touched_page(first, first), first);
    os::release(first, pages * page);
}

}  // namespace
