// SPDX-License-Identifier: BSD-3-Clause
// Telling descriptors from other addresses.
#include "lazult/core/descriptor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "lazult/core/core.hpp"

namespace {

using namespace lazult;
using core::work_unit;

TEST(is_descriptor, knows_those_of_all_caches_and_nothing_else) {
    std::vector<work_unit*> units(40'000);  // some chunks
    std::thread other([&] {
        core::worker& w = core::this_worker();
        for (std::size_t i = 0; i < units.size(); i += 2) {
            units[i] = w.descriptors.allocate();
        }
    });
    core::worker& w = core::this_worker();
    for (std::size_t i = 1; i < units.size(); i += 2) {
        units[i] = w.descriptors.allocate();
    }
    other.join();
    for (work_unit* u : units) {
        ASSERT_TRUE(core::is_descriptor(u));
        ASSERT_FALSE(core::is_descriptor(reinterpret_cast<std::byte*>(u) + 8));
        ASSERT_FALSE(core::is_descriptor(core::descriptor_chunk::of(u)));
        core::descriptor_cache::release(u, &w.descriptors);
        ASSERT_TRUE(core::is_descriptor(u)) << "a freed one is one still";
        ASSERT_EQ(u->state(), core::life_state::unused);
    }
}

TEST(is_descriptor, takes_any_word_for_an_address) {
    alignas(128) std::byte local[128];
    const auto heap = std::make_unique<std::byte[]>(4096);
    EXPECT_FALSE(core::is_descriptor(nullptr));
    EXPECT_FALSE(core::is_descriptor(local));
    EXPECT_FALSE(core::is_descriptor(heap.get()));
    for (const std::uintptr_t bits : {std::uintptr_t{1}, std::uintptr_t{0x15}, std::uintptr_t{128},
                                      ~std::uintptr_t{0}, ~std::uintptr_t{127}, std::uintptr_t{1} << 47}) {
        EXPECT_FALSE(core::is_descriptor(reinterpret_cast<void*>(bits))) << bits;
    }
}

}  // namespace
