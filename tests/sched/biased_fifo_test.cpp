// SPDX-License-Identifier: BSD-3-Clause
// The pool that is private as long as one stream alone wants units from it.
#include "lazult/sched/biased_fifo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::biased_fifo;
using sched::stream;

stream* stream_over(biased_fifo& pool) {
    auto scheduler = sched::make_scheduler(base::scheduler_kind::basic);
    EXPECT_EQ(scheduler->add_pool(pool), status::ok);
    stream* started = nullptr;
    EXPECT_EQ(stream::start(std::move(scheduler), &started), status::ok);
    return started;
}

void end(stream* s) {
    std::thread([s] { EXPECT_EQ(stream::join(s), status::ok); }).join();
}

void await(const std::function<bool()>& condition) {
    while (!condition()) {
        std::this_thread::yield();
    }
}

TEST(biased_fifo, belongs_to_the_first_that_attaches_it) {
    const runtime running(1);
    worker& w = core::this_worker();
    biased_fifo pool;
    EXPECT_FALSE(pool.is_private_to(&w));
    ASSERT_EQ(pool.attach(w), status::ok);
    ASSERT_EQ(pool.attach(w), status::ok);
    EXPECT_TRUE(pool.is_private_to(&w));
    pool.detach(w);
    EXPECT_TRUE(pool.is_private_to(&w)) << "attached twice";
    pool.detach(w);
    EXPECT_FALSE(pool.is_private_to(&w));
    std::thread([&] {
        worker& other = core::this_worker();
        ASSERT_EQ(pool.attach(other), status::ok);
        EXPECT_TRUE(pool.is_private_to(&other)) << "nobody else ever wanted it";
        pool.detach(other);
    }).join();
}

TEST(biased_fifo, gives_its_lane_up_when_another_one_wants_units) {
    const runtime running(1);
    worker& w = core::this_worker();
    biased_fifo pool;
    ASSERT_EQ(pool.attach(w), status::ok);
    const core::unit_attributes how(technique::lazy_stack);
    unit first(pool, how, [] {});
    unit second(pool, how, [] {});
    pool.push(&w, first.get());
    pool.push(&w, second.get());
    std::thread([&] {
        EXPECT_EQ(pool.pop(core::this_worker()), nullptr) << "the owner has not looked yet";
    }).join();
    EXPECT_EQ(pool.size(), 2U);
    pool.collect(w);
    EXPECT_FALSE(pool.is_private_to(&w));
    std::thread([&] { EXPECT_EQ(pool.pop(core::this_worker()), first.get()); }).join();
    EXPECT_EQ(pool.pop(w), second.get());
    ASSERT_EQ(pool.attach(w), status::ok);
    EXPECT_FALSE(pool.is_private_to(&w)) << "given up for good";
    pool.detach(w);
    pool.push(&w, first.get());
    pool.push(&w, second.get());
    first.launched();
    second.launched();
    end(stream_over(pool));
}

TEST(biased_fifo, the_owners_units_are_shared_at_once_when_it_says_so_itself) {
    const runtime running(1);
    worker& w = core::this_worker();
    biased_fifo pool;
    ASSERT_EQ(pool.attach(w), status::ok);
    std::atomic<int> ran{0};
    std::vector<unit> units;
    for (int i = 0; i < 100; ++i) {
        units.push_back(spawn(pool, technique::adaptive, [&] { ++ran; }));
    }
    pool.expect_others();
    EXPECT_FALSE(pool.is_private_to(&w));
    stream* other = stream_over(pool);
    await([&] { return ran.load() == 100; });  // this stream does nothing for them
    units.clear();
    end(other);
    pool.detach(w);
}

// Two streams, the second of which comes while the first one has units in every state.
TEST(biased_fifo, loses_nobody_when_a_second_stream_attaches_it) {
    for (int round = 0; round < 30; ++round) {
        const runtime running(1);
        biased_fifo pool;
        stream* one = stream_over(pool);
        std::atomic<int> ended{0};
        std::atomic<bool> go{false};
        constexpr int count = 64;
        std::vector<unit> units;
        for (int i = 0; i < count; ++i) {
            units.push_back(
                spawn(pool, i % 2 == 0 ? technique::lazy_stack : technique::adaptive, [&, i] {
                    unit child = spawn(pool, technique::adaptive, [] { core::yield(); });
                    while (!go.load() || i % 3 == 0) {
                        core::yield();
                        if (go.load()) {
                            break;
                        }
                    }
                    child.join();
                    ++ended;
                }));
        }
        stream* two = stream_over(pool);
        go = true;
        await([&] { return ended.load() == count; });
        units.clear();
        end(one);
        end(two);
        EXPECT_EQ(pool.size(), 0U);
    }
}

TEST(biased_fifo, hears_of_others_units_in_their_order) {
    const runtime running(1);
    worker& w = core::this_worker();
    biased_fifo pool;
    ASSERT_EQ(pool.attach(w), status::ok);
    const core::unit_attributes how(technique::lazy_stack);
    unit mine(pool, how, [] {});
    unit theirs(pool, how, [] {});
    unit late(pool, how, [] {});
    pool.push(&w, mine.get());
    std::thread([&] { pool.push(nullptr, theirs.get()); }).join();
    pool.collect(w);
    pool.push(&w, late.get());
    EXPECT_EQ(pool.pop(w), mine.get());
    EXPECT_EQ(pool.pop(w), theirs.get());
    EXPECT_TRUE(pool.remove(late.get()));
    EXPECT_FALSE(pool.remove(late.get()));
    EXPECT_EQ(pool.size(), 0U);
    pool.detach(w);
}

// A stream that ends when its pools are empty must not take this pool for empty meanwhile.
TEST(biased_fifo, never_seems_to_have_lost_units_when_it_gives_its_lane_up) {
    const runtime running(1);
    worker& w = core::this_worker();
    constexpr std::size_t count = 5000;
    const core::unit_attributes how(technique::lazy_stack);
    for (int round = 0; round < 5; ++round) {
        biased_fifo pool;
        ASSERT_EQ(pool.attach(w), status::ok);
        for (std::size_t i = 0; i < count; ++i) {
            pool.push(&w, core::prepare(w, pool, [](void*) {}, nullptr, how));
        }
        std::atomic<bool> looks{false};
        std::atomic<bool> may_end{false};
        std::size_t fewest = count;
        std::thread other([&] {
            while (!may_end.load()) {
                fewest = std::min(fewest, pool.size());
                looks = true;
            }
        });
        await([&] { return looks.load(); });
        pool.expect_others();
        EXPECT_FALSE(pool.is_private_to(&w));
        may_end = true;
        other.join();
        EXPECT_EQ(fewest, count);
        pool.detach(w);
        while (work_unit* u = pool.pop(w)) {
            core::dispose(w, u);
        }
    }
}

// What others pushed does not wait for the owner, once somebody wants it.
TEST(biased_fifo, the_inbox_is_open_to_any_stream_that_looks) {
    const runtime running(1);
    worker& w = core::this_worker();
    biased_fifo pool;
    ASSERT_EQ(pool.attach(w), status::ok);
    const core::unit_attributes how(technique::lazy_stack);
    unit first(pool, how, [] {});
    unit second(pool, how, [] {});
    std::thread([&] {
        pool.push(nullptr, first.get());
        pool.push(nullptr, second.get());
    }).join();
    EXPECT_EQ(pool.size(), 2U);
    EXPECT_TRUE(pool.maybe_has_work(w));
    std::thread([&] {
        worker& other = core::this_worker();
        EXPECT_TRUE(pool.maybe_has_work(other));
        EXPECT_EQ(pool.pop(other), first.get()) << "the owner has not looked yet";
        EXPECT_TRUE(pool.remove(second.get()));
        EXPECT_FALSE(pool.remove(second.get()));
    }).join();
    EXPECT_EQ(pool.size(), 0U);
    pool.detach(w);
}

TEST(biased_fifo, its_owner_takes_removes_and_shows_what_others_pushed) {
    const runtime running(1);
    worker& w = core::this_worker();
    biased_fifo pool;
    ASSERT_EQ(pool.attach(w), status::ok);
    const core::unit_attributes how(technique::lazy_stack);
    std::vector<unit> units;
    for (int i = 0; i < 4; ++i) {
        units.emplace_back(pool, how, [] {});
    }
    const auto push_elsewhere = [&](std::initializer_list<int> which) {
        std::thread([&] {
            for (int i : which) {
                pool.push(nullptr, units[static_cast<std::size_t>(i)].get());
            }
        }).join();
    };
    push_elsewhere({0});
    EXPECT_EQ(pool.pop(w), units[0].get()) << "alone";
    push_elsewhere({0, 1, 2, 3});
    EXPECT_TRUE(pool.remove(units[1].get()));
    std::vector<const work_unit*> shown;
    pool.for_each(
        [](work_unit* u, void* seen) {
            static_cast<std::vector<const work_unit*>*>(seen)->push_back(u);
        },
        &shown);
    EXPECT_EQ(shown,
              (std::vector<const work_unit*>{units[0].get(), units[2].get(), units[3].get()}));
    push_elsewhere({1});
    for (int i : {0, 2, 3, 1}) {
        EXPECT_EQ(pool.pop(w), units[static_cast<std::size_t>(i)].get());
    }
    EXPECT_EQ(pool.pop(w), nullptr);
    pool.detach(w);
    push_elsewhere({2});
    EXPECT_EQ(pool.pop(w), units[2].get()) << "without an owner";
}

// Streams push to one another's pools, and third ones come and go.
TEST(biased_fifo, loses_nobody_that_others_push_while_it_changes_hands) {
    for (int round = 0; round < 20; ++round) {
        const runtime running(1);
        biased_fifo pool;
        stream* one = stream_over(pool);
        std::atomic<int> ran{0};
        constexpr int count = 400;
        std::vector<std::thread> producers;
        for (int p = 0; p < 2; ++p) {
            producers.emplace_back([&] {
                for (int i = 0; i < count; ++i) {
                    spawn(pool, i % 2 == 0 ? technique::lazy_stack : technique::adaptive, [&] {
                        core::yield();
                        ++ran;
                    }).join();
                }
            });
        }
        await([&] { return ran.load() > count / 4; });
        stream* two = stream_over(pool);
        await([&] { return ran.load() > count; });
        end(one);
        for (std::thread& each : producers) {
            each.join();
        }
        EXPECT_EQ(ran.load(), 2 * count);
        end(two);
        EXPECT_EQ(pool.size(), 0U);
    }
}

// A stream that ends when its pools are empty must not take this pool for empty while others' units
// go from the inbox to the queue.
TEST(biased_fifo, never_seems_to_be_empty_when_its_inbox_is_spilled) {
    const runtime running(1);
    worker& w = core::this_worker();
    constexpr std::size_t count = 2000;
    const core::unit_attributes how(technique::lazy_stack);
    for (int round = 0; round < 5; ++round) {
        biased_fifo pool;
        ASSERT_EQ(pool.attach(w), status::ok);
        for (std::size_t i = 0; i < count; ++i) {
            work_unit* u = core::prepare(w, pool, [](void*) {}, nullptr, how);
            ASSERT_TRUE(sched::provide_node(*u));
            pool.push(nullptr, u);  // as by somebody else
        }
        std::atomic<bool> looks{false};
        std::atomic<bool> may_end{false};
        bool seemed_empty = false;
        std::thread other([&] {
            worker& mine = core::this_worker();
            while (!may_end.load()) {
                seemed_empty = seemed_empty || pool.size() == 0 || !pool.maybe_has_work(mine);
                looks = true;
            }
        });
        await([&] { return looks.load(); });
        pool.expect_others();
        may_end = true;
        other.join();
        EXPECT_FALSE(seemed_empty);
        pool.detach(w);
        while (work_unit* u = pool.pop(w)) {
            core::dispose(w, u);
        }
    }
}

}  // namespace
