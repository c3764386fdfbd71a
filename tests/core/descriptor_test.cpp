// SPDX-License-Identifier: BSD-3-Clause
// Telling descriptors from other addresses.
#include "lazult/core/memory/descriptor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
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
    for (const std::uintptr_t bits :
         {std::uintptr_t{1}, std::uintptr_t{0x15}, std::uintptr_t{128}, ~std::uintptr_t{0},
          ~std::uintptr_t{127}, std::uintptr_t{1} << 47}) {
        EXPECT_FALSE(core::is_descriptor(reinterpret_cast<void*>(bits))) << bits;
    }
}

// More than an array holds, in different orders: each descriptor is handed out once, and none is
// forgotten.
TEST(descriptor_cache, hands_out_each_once_however_many_were_freed) {
    std::thread([] {
        core::worker& w = core::this_worker();
        const std::size_t before = w.descriptors.live();
        std::vector<work_unit*> units(5 * core::descriptor_cache::most_at_hand / 2);
        for (int round = 0; round < 3; ++round) {
            for (work_unit*& u : units) {
                u = w.descriptors.allocate();
                ASSERT_NE(u, nullptr);
            }
            EXPECT_EQ(w.descriptors.live(), before + units.size());
            EXPECT_EQ(std::set<work_unit*>(units.begin(), units.end()).size(), units.size());
            if (round == 1) {
                std::reverse(units.begin(), units.end());
            }
            for (work_unit* u : units) {
                core::descriptor_cache::release(u, &w.descriptors);
            }
            EXPECT_EQ(w.descriptors.live(), before);
        }
    }).join();
}

// Freed on another thread, they come back to the one that carved them, before it carves more for
// ever.
TEST(descriptor_cache, takes_back_what_others_freed) {
    constexpr std::size_t rounds = 40;
    std::thread([] {
        core::worker& w = core::this_worker();
        std::vector<work_unit*> units(2 * core::descriptor_cache::most_at_hand);
        std::set<work_unit*> seen;
        for (std::size_t round = 0; round < rounds; ++round) {
            std::generate(units.begin(), units.end(), [&] { return w.descriptors.allocate(); });
            seen.insert(units.begin(), units.end());
            std::thread([&] {
                for (work_unit* u : units) {
                    core::descriptor_cache::release(u, &core::this_worker().descriptors);
                }
            }).join();
        }
        // The thread's worker may have been another thread's, with descriptors of its own.
        EXPECT_LT(seen.size(), rounds * units.size() / 2);
    }).join();
}

}  // namespace
