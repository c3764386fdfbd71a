// SPDX-License-Identifier: BSD-3-Clause
// Free memory that goes back to the system, and what is made of its addresses afterwards.
#include "lazult/core/worker/housekeeping.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "lazult/core/memory/stack_store.hpp"
#include "lazult/ds/node_slab.hpp"
#include "tests/support/runtime.hpp"
#include "tests/support/scarcity.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

constexpr std::size_t crowd = 1000;
constexpr std::uint8_t size_class = 18;  // nobody else's

std::vector<core::stack*> take_stacks(std::size_t count) {
    std::vector<core::stack*> all;
    for (std::size_t i = 0; i != count; ++i) {
        all.push_back(core::this_worker().stacks.allocate(size_class));
    }
    return all;
}
void put_stacks_away(const std::vector<core::stack*>& all) {
    worker& w = core::this_worker();
    for (core::stack* s : all) {
        core::stack_cache::release(s, &w.stacks);
    }
    w.stacks.put_away();
}

class vacant_stacks : public testing::TestWithParam<base::guard_kind> {
protected:
    void SetUp() override {
        if (probe::tsan) {
            GTEST_SKIP() << "each cache keeps what it has";
        }
    }
};
INSTANTIATE_TEST_SUITE_P(by_guard, vacant_stacks,
                         testing::Values(base::guard_kind::automatic, base::guard_kind::mprotect,
                                         base::guard_kind::canary, base::guard_kind::none));

TEST_P(vacant_stacks, have_no_memory_and_are_as_before_when_they_are_used_again) {
    base::settings chosen = settings_for(1);
    chosen.guard = GetParam();
    const runtime running(chosen);
    const std::vector<core::stack*> all = take_stacks(crowd);
    const os::guard_method guard = all.front()->guard;
    for (core::stack* s : all) {
        std::memset(s->low, 1, 1);
    }
    const std::size_t before = os::resident_bytes();
    put_stacks_away(all);
    core::vacate_stored_stacks();
    EXPECT_LE(os::resident_bytes() + crowd * os::page_size(), before);
    const std::uint64_t carved = core::this_worker().stacks.carved();
    const std::vector<core::stack*> again = take_stacks(crowd);
    EXPECT_EQ(core::this_worker().stacks.carved(), carved) << "no others were made";
    EXPECT_EQ(std::set<core::stack*>(again.begin(), again.end()),
              std::set<core::stack*>(all.begin(), all.end()));
    for (const core::stack* s : again) {
        EXPECT_EQ(s->guard, guard);
        EXPECT_EQ(s->size_class, size_class);
        EXPECT_EQ(*s->low, std::byte{0});
        EXPECT_EQ(core::stack_with_guard_at(s->base) == s, s->low != s->base);
        const std::size_t guarded = static_cast<std::size_t>(s->low - s->base);
        EXPECT_TRUE(guard != os::guard_method::canary || os::canary_intact(s->base, guarded));
    }
    put_stacks_away(again);
}

TEST_P(vacant_stacks, leave_their_addresses_and_their_records_serve_others) {
    base::settings chosen = settings_for(1);
    chosen.guard = GetParam();
    const runtime running(chosen);
    put_stacks_away(take_stacks(crowd));
    const core::stack_statistics before = core::count_stacks();
    const std::size_t gone = core::unmap_stored_stacks();
    EXPECT_GE(gone, crowd / 10 * 9);
    const core::stack_statistics after = core::count_stacks();
    EXPECT_EQ(after.carved, before.carved - gone);
    EXPECT_EQ(after.stored, before.stored - gone);
    EXPECT_LT(after.slabs, before.slabs);
    EXPECT_LE(after.reserved_bytes + (gone << size_class), before.reserved_bytes);
    std::uint64_t guarded = 0;
    for (const std::uint64_t by_one_method : after.guards_by_method) {
        guarded += by_one_method;
    }
    EXPECT_EQ(guarded, after.carved);
    const std::vector<core::stack*> again = take_stacks(crowd);
    EXPECT_EQ(std::set<core::stack*>(again.begin(), again.end()).size(), crowd);
    for (core::stack* s : again) {
        std::memset(s->low, 1, s->usable());
    }
    put_stacks_away(again);
}

// A program that is never quiet gives back what it does not need: few stacks count as much where
// they are large.
TEST(housekeeping, few_large_stacks_are_given_back_while_others_are_used) {
    if (probe::tsan) {
        GTEST_SKIP() << "each cache keeps what it has";
    }
    const runtime running(settings_for(1));
    constexpr std::uint8_t large = 23;
    constexpr std::size_t few = 8;
    worker& w = core::this_worker();
    std::vector<core::stack*> all;
    for (std::size_t i = 0; i != few; ++i) {
        all.push_back(w.stacks.allocate(large));
        std::memset(all.back()->low, 1, all.back()->usable());
    }
    const std::size_t before = os::resident_bytes();
    put_stacks_away(all);
    const std::int64_t until = os::now_ns() + 10 * core::quiet_ns;
    const std::size_t most = before - (few / 2 << large);
    while (os::resident_bytes() > most && os::now_ns() < until) {
        core::note_traffic(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_LE(os::resident_bytes(), most);
}

// Their guards are refitted too.
TEST(housekeeping, vacant_stacks_follow_the_next_runtimes_guards) {
    if (probe::tsan || os::best_guard_method() != os::guard_method::madvise) {
        GTEST_SKIP() << "there are no vacant stacks, or one method only";
    }
    base::settings chosen = settings_for(1);
    {
        const runtime first(chosen);
    }
    std::vector<core::stack*> all = take_stacks(crowd);
    std::vector<core::stack*> kept;
    for (std::size_t i = 0; i < all.size(); i += 10) {  // so that their slabs stay
        kept.push_back(all[i]);
        all[i] = nullptr;
    }
    std::erase(all, nullptr);
    put_stacks_away(all);
    core::vacate_stored_stacks();
    {
        chosen.guard = base::guard_kind::mprotect;
        const runtime second(chosen);
        const std::vector<core::stack*> again = take_stacks(crowd / 2);
        for (const core::stack* s : again) {
            ASSERT_EQ(s->guard, os::guard_method::mprotect);
        }
        put_stacks_away(again);
    }
    put_stacks_away(kept);
}

// --- descriptors

std::vector<work_unit*> take_descriptors(std::size_t count) {
    std::vector<work_unit*> all;
    for (std::size_t i = 0; i != count; ++i) {
        all.push_back(core::this_worker().descriptors.allocate());
        all.back()->set_state(core::life_state::ready);
    }
    return all;
}
void free_descriptors(const std::vector<work_unit*>& all) {
    for (work_unit* u : all) {
        core::descriptor_cache::release(u, &core::this_worker().descriptors);
    }
}

TEST(housekeeping, descriptors_give_their_pages_back_and_come_again) {
    if (probe::tsan) {
        GTEST_SKIP() << "they keep them";
    }
    std::thread([] {
        core::descriptor_cache& mine = core::this_worker().descriptors;
        constexpr std::size_t many = 50'000;
        const std::size_t live = mine.live();
        std::vector<work_unit*> all = take_descriptors(many);
        std::vector<work_unit*> kept;
        for (std::size_t i = 0; i < all.size(); i += 1000) {
            kept.push_back(all[i]);
            all[i] = nullptr;
        }
        std::erase(all, nullptr);
        std::thread([half = std::vector(all.begin(), all.begin() + many / 2)] {
            free_descriptors(half);
        }).join();
        free_descriptors({all.begin() + many / 2, all.end()});
        mine.put_away();
        EXPECT_EQ(mine.at_hand(), 0U);
        constexpr std::size_t per_page = 4096 / sizeof(work_unit);
        std::size_t pages = 0;
        std::thread([&] { pages = mine.give_memory_back(); }).join();  // by anybody
        EXPECT_GE(pages, many / per_page - 2 * kept.size() - 2);
        EXPECT_EQ(mine.live(), live + kept.size());
        for (work_unit* u : all) {
            ASSERT_TRUE(core::is_descriptor(u));
            ASSERT_EQ(u->state(), core::life_state::unused);
        }
        for (work_unit* u : kept) {
            ASSERT_EQ(u->state(), core::life_state::ready) << "it is in use";
        }
        const std::vector<work_unit*> again = take_descriptors(all.size());
        std::set<work_unit*> before(all.begin(), all.end());
        std::size_t same = 0;
        for (work_unit* u : again) {
            same += before.contains(u) ? 1U : 0U;
        }
        // The rest of the last chunk comes before.
        constexpr std::size_t others = core::descriptor_chunk_bytes / sizeof(work_unit) +
                                       2 * core::descriptor_cache::most_at_hand;
        EXPECT_GE(same, all.size() - others);
        EXPECT_EQ(mine.live(), live + kept.size() + again.size());
        free_descriptors(again);
        free_descriptors(kept);
        EXPECT_EQ(mine.live(), live);
    }).join();
}

// While its owner takes and frees, and others free: nothing is given twice.
TEST(housekeeping, descriptors_give_back_beside_their_owner) {
    std::atomic<bool> is_over{false};
    core::descriptor_cache* cache = nullptr;
    std::atomic<bool> is_known{false};
    std::thread owner([&] {
        cache = &core::this_worker().descriptors;
        is_known = true;
        for (int round = 0; round != 300; ++round) {
            const std::vector<work_unit*> all = take_descriptors(3'000);
            ASSERT_EQ(std::set<work_unit*>(all.begin(), all.end()).size(), all.size());
            for (std::size_t i = 0; i != all.size(); ++i) {
                all[i]->argument = all[i];
            }
            for (const work_unit* u : all) {
                ASSERT_EQ(u->argument, u);
            }
            if (round % 2 == 0) {
                std::thread([&] { free_descriptors(all); }).join();
            } else {
                free_descriptors(all);
                cache->put_away();
            }
        }
        is_over = true;
    });
    while (!is_known.load()) {
        std::this_thread::yield();
    }
    while (!is_over.load()) {
        cache->give_memory_back();
    }
    owner.join();
}

TEST(housekeeping, a_thread_that_ends_leaves_what_it_kept_to_others) {
    if (probe::tsan) {
        GTEST_SKIP() << "each cache keeps what it has";
    }
    std::uint64_t stored = 0;
    std::thread([&] {
        worker& w = core::this_worker();
        for (core::stack* s : take_stacks(100)) {
            core::stack_cache::release(s, &w.stacks);
        }
        EXPECT_GE(w.stacks.kept(), 100U);
        stored = core::count_stacks().stored;
    }).join();
    EXPECT_GE(core::count_stacks().stored, stored + 100);
}

// --- forks

// While another thread holds the lock for a moment.
void expect_free_in_a_child(std::mutex& lock) {
    std::atomic<bool> is_held{false};
    std::thread holder([&] {
        const std::lock_guard hold(lock);
        is_held = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    });
    while (!is_held.load()) {
        std::this_thread::yield();
    }
    in_child([&] {
        EXPECT_TRUE(lock.try_lock()) << "its holder is not here";
        return true;
    });
    holder.join();
}

TEST(housekeeping, a_child_finds_the_free_descriptors_of_another_thread_unlocked) {
    core::this_worker();
    core::descriptor_cache* others = nullptr;
    std::thread([&] { others = &core::this_worker().descriptors; }).join();
    expect_free_in_a_child(others->lock());
}

TEST(housekeeping, a_child_finds_the_free_nodes_unlocked) {
    expect_free_in_a_child(ds::node_slab<>::instance().lock());
}

}  // namespace
