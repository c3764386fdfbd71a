// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/page_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "lazult/ds/node_slab.hpp"

namespace {

using namespace lazult;

constexpr std::size_t page = ds::page_pool::page_bytes;
constexpr unsigned per_page = 4;

void count_pieces(ds::page_pool& pool, std::byte* at, unsigned how_many) {
    for (unsigned i = 0; i != how_many; ++i) {
        pool.count(at + i * (page / per_page));
    }
}

TEST(page_pool, gives_each_page_once) {
    static ds::page_pool pool;  // its chunks stay, and it with them
    std::set<void*> all;
    for (int i = 0; i != 200; ++i) {  // some chunks
        void* const taken = pool.take_page();
        ASSERT_NE(taken, nullptr);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(taken) % page, 0U);
        ASSERT_TRUE(all.insert(taken).second);
        std::memset(taken, 1, page);
    }
}

TEST(page_pool, gives_back_pages_of_which_all_pieces_are_free) {
    static ds::page_pool pool;  // its chunks stay, and it with them
    std::vector<std::byte*> all;
    for (int i = 0; i != 100; ++i) {
        all.push_back(static_cast<std::byte*>(pool.take_page()));
        std::memset(all.back(), 1, page);
        ds::page_pool::note_of(all.back()) = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = 0; i != all.size(); ++i) {
        count_pieces(pool, all[i], i % 2 == 0 ? per_page : per_page - 1);
    }
    EXPECT_TRUE(pool.is_all_free(all[0], per_page));
    EXPECT_FALSE(pool.is_all_free(all[1], per_page));
    EXPECT_EQ(pool.vacate(per_page), all.size() / 2);
    for (std::size_t i = 0; i != all.size(); ++i) {
        EXPECT_EQ(*all[i], std::byte{i % 2 == 0 ? std::uint8_t{0} : std::uint8_t{1}});
        EXPECT_EQ(ds::page_pool::note_of(all[i]), i);
    }
    EXPECT_EQ(pool.vacate(per_page), 0U) << "counts begin anew";
    std::set<void*> again;
    for (std::size_t i = 0; i != all.size() / 2; ++i) {
        again.insert(pool.take_page());
    }
    for (std::size_t i = 0; i != all.size(); i += 2) {
        EXPECT_TRUE(again.contains(all[i]));
    }
}

// A slow thread may still know the tag that a node had: see ds/mpmc_queue.hpp.
TEST(node_slab, gives_memory_back_and_goes_on_with_higher_tags) {
    using node = ds::mpmc_node<>;
    auto& slab = ds::node_slab<>::instance();
    std::vector<node*> all;
    for (int i = 0; i != 1000; ++i) {
        all.push_back(slab.take());
        const std::uint64_t tag =
            ds::tagged_address::tag(all.back()->next.load(std::memory_order_relaxed));
        all.back()->next.store(ds::tagged_address::pack(all.back(), tag + 5),
                               std::memory_order_relaxed);
    }
    std::set<node*> first(all.begin(), all.end());
    std::vector<std::uint64_t> tags;
    for (node* n : first) {
        tags.push_back(ds::tagged_address::tag(n->next.load(std::memory_order_relaxed)));
        slab.give_back(n);
    }
    EXPECT_GE(slab.give_memory_back(), 10U);
    std::vector<node*> again;
    for (std::size_t i = 0; i != 4 * all.size(); ++i) {
        again.push_back(slab.take());
    }
    std::size_t seen = 0;
    auto tag = tags.begin();
    for (node* n : first) {
        if (std::find(again.begin(), again.end(), n) != again.end()) {
            ++seen;
            EXPECT_GE(ds::tagged_address::tag(n->next.load(std::memory_order_relaxed)), *tag);
        }
        ++tag;
    }
    EXPECT_GE(seen, first.size() / 2);
    for (node* n : again) {
        slab.give_back(n);
    }
}

}  // namespace
