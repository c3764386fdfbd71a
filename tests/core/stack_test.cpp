// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/stack.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <set>
#include <thread>
#include <vector>

#include "lazult/core/memory/stack_store.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

TEST(stack, classes_are_powers_of_two_within_limits) {
    EXPECT_EQ(core::stack_class_for(0), core::smallest_stack_class);
    EXPECT_EQ(core::stack_class_for(1), core::smallest_stack_class);
    EXPECT_EQ(core::stack_class_for(4096), 12);
    EXPECT_EQ(core::stack_class_for(4097), 13);
    EXPECT_EQ(core::stack_class_for(std::size_t{64} << 10), 16);
    EXPECT_EQ(core::stack_class_for((std::size_t{64} << 10) + 1), 17);
    EXPECT_EQ(core::stack_class_for(std::size_t{1} << 40), core::largest_stack_class);
}

TEST(stack, is_usable_to_its_last_byte_and_guarded_below) {
    worker& w = core::this_worker();
    for (const std::uint8_t size_class :
         {std::uint8_t{12}, std::uint8_t{14}, std::uint8_t{16}, std::uint8_t{20}}) {
        core::stack* s = w.stacks.allocate(size_class);
        ASSERT_NE(s, nullptr);
        EXPECT_EQ(s->size_class, size_class);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s->top()) % arch::stack_alignment, 0U);
        // The header and the stagger cost a few lines at most.
        EXPECT_GE(s->usable() + 24 * 128 + sizeof(core::stack), std::size_t{1} << size_class);
        std::memset(s->low, 0x5a, s->usable());
        EXPECT_EQ(core::stack_with_guard_at(s->low - 1), s);
        EXPECT_EQ(core::stack_with_guard_at(s->low), nullptr);
        EXPECT_EQ(core::stack_with_guard_at(s->top() - 1), nullptr);
        core::stack_cache::release(s, &w.stacks);
    }
    int local = 0;
    EXPECT_EQ(core::stack_with_guard_at(&local), nullptr);
}

TEST(stack, tops_are_staggered) {
    worker& w = core::this_worker();
    std::vector<core::stack*> all;
    std::set<std::uintptr_t> offsets;
    for (int i = 0; i < 64; ++i) {
        all.push_back(w.stacks.allocate(15));
        offsets.insert(reinterpret_cast<std::uintptr_t>(all.back()->top()) % 4096);
    }
    for (core::stack* s : all) {
        core::stack_cache::release(s, &w.stacks);
    }
    EXPECT_GE(offsets.size(), 8U);
}

TEST(stack, comes_back_to_the_cache_that_carved_it) {
    worker& w = core::this_worker();
    const std::size_t before = w.stacks.live();
    core::stack* s = w.stacks.allocate(16);
    EXPECT_EQ(w.stacks.live(), before + 1);
    std::thread([&] {
        worker& other = core::this_worker();
        const std::size_t there = other.stacks.live();
        core::stack_cache::release(s, &other.stacks);
        EXPECT_EQ(other.stacks.live(), there);
    }).join();
    EXPECT_EQ(w.stacks.live(), before);
    std::thread([&] {
        core::stack* t = core::this_worker().stacks.allocate(16);
        core::stack_cache::release(t, nullptr);
    }).join();
}

TEST(stack, allocation_does_not_carve_what_is_free) {
    worker& w = core::this_worker();
    std::vector<core::stack*> all;
    for (int round = 0; round < 3; ++round) {
        const std::uint64_t before = w.stacks.carved();
        for (int i = 0; i < 400; ++i) {  // more than the cache's fast part
            all.push_back(w.stacks.allocate(13));
        }
        EXPECT_EQ(std::set<core::stack*>(all.begin(), all.end()).size(), all.size());
        for (core::stack* s : all) {
            std::memset(s->top() - 1024, round, 1024);
            core::stack_cache::release(s, &w.stacks);
        }
        all.clear();
        if (round != 0) {
            EXPECT_EQ(w.stacks.carved(), before);
        }
    }
}

// --- what caches have no room for

std::vector<core::stack*> take(std::size_t count, std::uint8_t size_class) {
    std::vector<core::stack*> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(core::this_worker().stacks.allocate(size_class));
        std::memset(all.back()->low, 1, 1);
    }
    return all;
}
void give_back(const std::vector<core::stack*>& all) {
    for (core::stack* s : all) {
        core::stack_cache::release(s, &core::this_worker().stacks);
    }
}

// ThreadSanitizer's stacks rest instead.
class surplus_stacks : public testing::TestWithParam<std::uint8_t> {
protected:
    void SetUp() override {
        if (probe::tsan) {
            GTEST_SKIP() << "each cache keeps what it has";
        }
    }
    static constexpr std::size_t crowd = 1000;
    std::uint8_t size_class = GetParam();
    std::size_t kept = base::current_settings().max_cached_stacks;
};
// The class of ULTs, which is kept in arrays, and one that is not.
INSTANTIATE_TEST_SUITE_P(of_class, surplus_stacks, testing::Values(16, 19));

// However work is dealt out, there are no more stacks than were in use at once and than caches
// keep: if each thread kept the most that it ever had, they would grow in number for as long as
// each of them now and then has more than ever.
TEST_P(surplus_stacks, of_one_thread_are_there_for_the_others) {
    constexpr unsigned threads = 4;
    const std::uint64_t before = core::count_stacks().carved;
    for (unsigned i = 0; i < threads; ++i) {
        std::thread other([&, i] {
            for (unsigned turn = 0; turn <= i; ++turn) {
                give_back(take(crowd, size_class));
            }
        });
        const std::vector<core::stack*> mine = take(10, size_class);
        other.join();
        give_back(mine);
    }
    EXPECT_LE(core::count_stacks().carved - before, crowd + threads * kept);
}

TEST_P(surplus_stacks, that_others_give_back_do_not_pile_up) {
    worker& w = core::this_worker();
    const std::size_t live = w.stacks.live();
    const std::uint64_t stored = core::count_stacks().stored;
    const std::vector<core::stack*> all = take(crowd, size_class);
    const std::uint64_t taken = stored - core::count_stacks().stored;
    std::thread([&] { give_back(all); }).join();
    EXPECT_GE(core::count_stacks().stored + taken, stored + crowd - kept);
    EXPECT_EQ(w.stacks.live(), live);
    EXPECT_EQ(w.stacks.in_use_estimate(), live);
}

// How many of so many have memory that was written to.
std::size_t take_and_count_warm(std::size_t count, std::uint8_t size_class) {
    std::vector<core::stack*> all;
    std::size_t warm = 0;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(core::this_worker().stacks.allocate(size_class));
        warm += *all.back()->low != std::byte{0} ? 1 : 0;
    }
    EXPECT_EQ(std::set<core::stack*>(all.begin(), all.end()).size(), count);
    give_back(all);
    return warm;
}

// A page fault for each of its pages is what a stack without memory costs.
TEST_P(surplus_stacks, keep_their_memory_while_they_are_needed) {
    std::size_t warm = 0;
    for (int attempt = 0; attempt < 3 && warm != crowd;
         ++attempt) {  // the machine may stand still for a second
        give_back(take(crowd, size_class));
        core::age_stored_stacks();
        give_back(take(crowd, size_class));
        core::age_stored_stacks();
        warm = take_and_count_warm(crowd, size_class);
    }
    EXPECT_EQ(warm, crowd);
}

TEST_P(surplus_stacks, have_no_memory_when_nobody_needed_them_for_long) {
    give_back(take(crowd, size_class));
    core::age_stored_stacks();
    core::age_stored_stacks();
    EXPECT_LE(take_and_count_warm(crowd, size_class), 2 * kept);
}

TEST_P(surplus_stacks, have_no_memory_but_for_as_many_as_were_needed) {
    constexpr std::size_t batch = 32;
    constexpr std::size_t needed = 700;
    give_back(take(crowd, size_class));
    core::age_stored_stacks();
    give_back(take(needed, size_class));
    core::age_stored_stacks();
    const std::size_t warm = take_and_count_warm(crowd, size_class);
    EXPECT_LE(warm, needed + batch);
    EXPECT_GE(warm, needed - kept);
}

// More than fit into the arrays. A cache chooses when it is first asked, so this one is new; it
// stays, as those of threads do.
TEST_P(surplus_stacks, are_kept_up_to_the_number_that_is_set) {
    base::settings chosen = settings_for(1);
    chosen.max_cached_stacks = crowd;
    const runtime running(chosen);
    static std::deque<core::stack_cache> caches;
    core::stack_cache& cache = caches.emplace_back();
    const auto take_and_give_back = [&] {
        std::vector<core::stack*> all;
        for (std::size_t i = 0; i < crowd; ++i) {
            all.push_back(cache.allocate(size_class));
        }
        for (core::stack* s : all) {
            core::stack_cache::release(s, &cache);
        }
    };
    take_and_give_back();
    const std::uint64_t carved = cache.carved();
    const std::uint64_t stored = core::count_stacks().stored;
    take_and_give_back();
    EXPECT_EQ(cache.carved(), carved);
    EXPECT_EQ(core::count_stacks().stored, stored);
}

TEST(user_stack, too_small_ones_are_refused) {
    alignas(64) static std::byte memory[4096];
    EXPECT_EQ(core::adopt_user_stack(memory, 7), nullptr);
    EXPECT_EQ(core::adopt_user_stack(memory, core::smallest_user_stack - 1), nullptr);
    EXPECT_EQ(core::adopt_user_stack(nullptr, 1 << 20), nullptr);
}

class user_stack_test : public testing::TestWithParam<std::size_t> {};

TEST_P(user_stack_test, the_unit_runs_on_it_and_leaves_it_to_the_user) {
    const std::size_t misalignment = GetParam();
    std::vector<std::byte> memory((std::size_t{64} << 10) + 64);
    std::byte* const low = memory.data() + misalignment;
    const std::size_t bytes = std::size_t{64} << 10;
    core::stack* mine = core::adopt_user_stack(low, bytes);
    ASSERT_NE(mine, nullptr);
    {
        const runtime running;
        core::unit_attributes attributes(technique::scheduler_creation);
        attributes.user_stack(mine);
        const auto on_it = [&] {
            const std::byte* here = arch::stack_position();
            return here >= low && here < low + bytes;
        };
        for (const bool first : {false, true}) {
            int good = 0;
            unit u(pinned(), attributes, [&] {
                good += on_it() ? 1 : 0;
                suspend_for_a_moment();
                good += on_it() ? 1 : 0;
            });
            first ? u.launch_child_first() : u.launch();
            EXPECT_EQ(u.join(), status::ok);
            EXPECT_EQ(good, 2);
            // And so does its next life.
            EXPECT_EQ(u.revive(pinned(), [&] { good += on_it() ? 1 : 0; }), status::ok);
            EXPECT_EQ(u.join(), status::ok);
            EXPECT_EQ(good, 3);
        }
    }
    core::disown_user_stack(mine);
}
INSTANTIATE_TEST_SUITE_P(misaligned_by, user_stack_test, testing::Values(0U, 1U, 8U, 63U));

// Asks the kernel, which says so instead of faulting.
bool is_accessible(const std::byte* at) {
    return !(::access(reinterpret_cast<const char*>(at), F_OK) == -1 && errno == EFAULT);
}

TEST(user_stack, may_be_guarded_at_its_lowest_whole_page) {
    const std::size_t page = os::page_size();
    std::vector<std::byte> memory(16 * page);
    for (const std::size_t offset : {std::size_t{0}, std::size_t{8}, page / 2}) {
        core::stack* s = core::adopt_user_stack(memory.data() + offset, memory.size() - offset,
                                                core::user_guard::with);
        ASSERT_NE(s, nullptr);
        EXPECT_EQ(s->base, memory.data() + offset);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s->low) % page, 0U);
        EXPECT_GE(s->low - page, s->base);
        EXPECT_LT(s->low, s->base + 2 * page);
        EXPECT_FALSE(is_accessible(s->low - 1));
        EXPECT_FALSE(is_accessible(s->low - page));
        EXPECT_TRUE(is_accessible(s->low));
        const std::byte* guard = s->low - page;
        core::disown_user_stack(s);
        EXPECT_TRUE(is_accessible(guard));
    }
}

TEST(user_stack, that_is_too_small_for_a_guard_goes_without) {
    std::vector<std::byte> memory(4096);
    core::stack* s = core::adopt_user_stack(memory.data(), memory.size(), core::user_guard::with);
    ASSERT_NE(s, nullptr);
    EXPECT_EQ(s->low, memory.data());
    core::disown_user_stack(s);
}

TEST(stack, guards_follow_the_settings_of_the_next_runtime) {
    if (os::best_guard_method() != os::guard_method::madvise) {
        GTEST_SKIP() << "the kernel knows one method only";
    }
    for (const base::guard_kind kind :
         {base::guard_kind::mprotect, base::guard_kind::automatic, base::guard_kind::canary,
          base::guard_kind::mprotect, base::guard_kind::automatic}) {
        base::settings chosen = settings_for(1);
        chosen.guard = kind;
        const runtime running(chosen);
        const auto expected = kind == base::guard_kind::mprotect ? os::guard_method::mprotect
                              : kind == base::guard_kind::canary ? os::guard_method::canary
                                                                 : os::guard_method::madvise;
        for (const technique how : {technique::full, technique::lazy_stack}) {
            unit u = spawn(pinned(), how, [&] {
                const core::stack* mine = core::current_unit()->stk;
                EXPECT_EQ(mine->guard, expected);
                EXPECT_EQ(is_accessible(mine->low - 1), expected == os::guard_method::canary);
                suspend_for_a_moment();
            });
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

TEST(stack, guards_are_counted_by_their_present_method) {
    const auto count = [](os::guard_method method) {
        return core::count_stacks().guards_by_method[static_cast<std::size_t>(method)];
    };
    for (const base::guard_kind kind :
         {base::guard_kind::mprotect, base::guard_kind::canary, base::guard_kind::mprotect}) {
        base::settings chosen = settings_for(1);
        chosen.guard = kind;
        const runtime running(chosen);
        EXPECT_EQ(spawn(pinned(), technique::full, [] {}).join(), status::ok);
        if (kind == base::guard_kind::canary) {
            EXPECT_GT(count(os::guard_method::canary), 0U);
            EXPECT_EQ(count(os::guard_method::mprotect), 0U);
        }
    }
    EXPECT_EQ(count(os::guard_method::canary), 0U);
    EXPECT_GT(count(os::guard_method::mprotect), 0U);
}

// A size of their own, so that their slab is made under these settings.
TEST(stack, may_go_without_guards_and_with_huge_pages) {
    base::settings chosen = settings_for(1);
    chosen.guard = base::guard_kind::none;
    chosen.huge_pages = true;
    const std::size_t bytes = std::size_t{4} << 20;
    {
        const runtime running(chosen);
        unit u = spawn(pinned(), core::unit_attributes(technique::lazy_stack, bytes), [bytes] {
            const core::stack& mine = *core::current_unit()->stk;
            EXPECT_EQ(mine.guard, os::guard_method::none);
            EXPECT_EQ(mine.low, mine.base);
            EXPECT_GE(mine.usable() + 24 * 128 + sizeof(core::stack), bytes);
            suspend_for_a_moment();
        });
        EXPECT_EQ(u.join(), status::ok);
    }
    // Its addresses went back with the runtime: the next one has a guard again.
    for (const base::guard_kind kind : {base::guard_kind::mprotect, base::guard_kind::madvise}) {
        chosen.guard = kind;
        const runtime running(chosen);
        unit u = spawn(pinned(), core::unit_attributes(technique::lazy_stack, bytes), [kind] {
            EXPECT_EQ(core::current_unit()->stk->guard, kind == base::guard_kind::mprotect
                                                            ? os::guard_method::mprotect
                                                            : os::best_guard_method());
        });
        EXPECT_EQ(u.join(), status::ok);
        const core::unit_attributes unused_size(technique::full, std::size_t{256} << 10);
        unit guarded = spawn(pinned(), unused_size, [kind] {
            EXPECT_EQ(core::current_unit()->stk->guard, kind == base::guard_kind::mprotect
                                                            ? os::guard_method::mprotect
                                                            : os::best_guard_method());
        });
        EXPECT_EQ(guarded.join(), status::ok);
    }
}

TEST(stack, that_has_not_been_made_yet_has_no_guard) {
    worker& w = core::this_worker();
    core::stack* s = w.stacks.allocate(17);  // nobody else's size: a slab of some
    ASSERT_NE(s, nullptr);
    const std::ptrdiff_t stride = (s->low - s->base) + (std::ptrdiff_t{1} << 17);
    EXPECT_EQ(core::stack_with_guard_at(s->base), s);
    EXPECT_EQ(core::stack_with_guard_at(s->base + 10 * stride), nullptr);
    EXPECT_EQ(core::stack_with_guard_at(reinterpret_cast<void*>(std::uintptr_t{4096})), nullptr);
    core::stack_cache::release(s, &w.stacks);
}

TEST(stack, those_of_others_are_not_kept) {
    worker& w = core::this_worker();
    const std::size_t before = w.stacks.live();
    core::stack_cache::release(&w.thread_stack, &w.stacks);
    EXPECT_EQ(w.stacks.live(), before);
}

TEST(stack, estimates_agree_with_counts_while_nothing_moves) {
    std::thread([] {
        worker& w = core::this_worker();
        const std::uint64_t in_use = w.stacks.in_use_estimate();
        const core::stack_statistics before = core::count_stacks();
        std::vector<core::stack*> all;
        for (int i = 0; i < 300; ++i) {
            all.push_back(w.stacks.allocate(14));
        }
        EXPECT_EQ(w.stacks.in_use_estimate(), in_use + all.size());
        EXPECT_EQ(w.stacks.made_estimate(), w.stacks.carved());
        EXPECT_EQ(core::count_stacks().carved, before.carved + all.size());
        EXPECT_GT(core::count_stacks().slabs, before.slabs);
        EXPECT_GE(core::count_stacks().reserved_bytes, before.reserved_bytes + (all.size() << 14));
        std::uint64_t guarded = 0;
        for (const std::uint64_t by_one_method : core::count_stacks().guards_by_method) {
            guarded += by_one_method;
        }
        EXPECT_EQ(guarded, core::count_stacks().carved);
        for (core::stack* s : all) {
            core::stack_cache::release(s, &w.stacks);
        }
        EXPECT_EQ(w.stacks.in_use_estimate(), in_use);
    }).join();
}

// Two sizes of which one is four times the other share a place in the cache.
TEST(stack, ults_and_schedulers_sizes_may_share_a_bin) {
    base::settings chosen = settings_for(1);
    chosen.stack_size = std::size_t{32} << 10;
    chosen.scheduler_stack_size = std::size_t{128} << 10;
    const runtime running(chosen);
    for (int round = 0; round < 3; ++round) {
        std::vector<unit> units;
        for (int i = 0; i < 600; ++i) {
            units.push_back(spawn(pinned(), suspending_techniques[static_cast<std::size_t>(i) % 6],
                                  [] { suspend_for_a_moment(); }));
        }
        for (unit& u : units) {
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

TEST(unit, stacks_have_the_size_that_was_asked_for) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        for (const std::size_t bytes :
             {std::size_t{16} << 10, std::size_t{256} << 10, std::size_t{1} << 20}) {
            unit u = spawn(pinned(), core::unit_attributes(how, bytes), [bytes] {
                suspend_for_a_moment();
                const std::byte* here = arch::stack_position();
                EXPECT_GE(core::current_unit()->stk->headroom_below(here) + 8192, bytes);
            });
            EXPECT_EQ(u.join(), status::ok);
        }
    }
}

// Descriptors only: a million created units that have not run take no stack.
TEST(unit, that_has_not_run_costs_its_descriptor_only) {
    const runtime running;
    for (const technique how :
         {technique::lazy_stack, technique::return_on_completion, technique::stack_separation,
          technique::scheduler_creation, technique::adaptive}) {
        const std::size_t stacks = core::this_worker().stacks.live();
        std::vector<unit> units;
        for (int i = 0; i < 10'000; ++i) {
            units.push_back(spawn(pinned(), how, [] {}));
        }
        EXPECT_EQ(core::this_worker().stacks.live(), stacks);
        for (unit& u : units) {
            u.join();
        }
    }
}

// As many as a process of today blocks at once, on stacks that are committed on touch.
TEST(unit, thousands_block_at_once_and_are_resumed) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        constexpr int count = 2000;
        std::vector<unit> units;
        std::atomic<int> resumed{0};
        for (int i = 0; i < count; ++i) {
            units.push_back(spawn(pinned(), how, [&] {
                core::park();
                resumed.fetch_add(1);
            }));
        }
        core::yield();
        for (unit& u : units) {
            core::unpark(u.get());
        }
        for (unit& u : units) {
            u.join();
        }
        EXPECT_EQ(resumed.load(), count);
    }
}

}  // namespace
