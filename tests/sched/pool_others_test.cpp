// SPDX-License-Identifier: BSD-3-Clause
// What pools do for others than their owners: removals, looks, and pushes from other threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/support/pool_fixture.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::biased_fifo;
using sched::private_fifo;
using sched::stealing_pool;

class biased_fifo_others_test : public pool_fixture {};

TEST_F(biased_fifo_others_test, are_shown_what_others_pushed_and_not_the_owners_lane) {
    biased_fifo pool;
    worker& w = core::this_worker();
    ASSERT_EQ(pool.attach(w), status::ok);
    make_pushed(pool, 3);
    work_unit* const from_elsewhere = make(pool);
    std::vector<work_unit*> seen;
    std::thread([&] {
        pool.push(nullptr, from_elsewhere);
        seen = shown_by(pool);  // a thread without a worker
    }).join();
    EXPECT_EQ(seen, std::vector<work_unit*>{from_elsewhere});
    EXPECT_EQ(shown_by(pool).size(), 4U);
    EXPECT_EQ(pop_all(pool).size(), 4U);
    pool.detach(w);
}

TEST_F(biased_fifo_others_test, are_shown_everything_when_nobody_has_it) {
    biased_fifo pool;
    worker& w = core::this_worker();
    ASSERT_EQ(pool.attach(w), status::ok);
    const auto units = make_pushed(pool, 3);
    pool.detach(w);
    std::thread([&] {
        EXPECT_EQ(shown_by(pool), units);
        core::this_worker();
        EXPECT_EQ(shown_by(pool), units);
    }).join();
    EXPECT_EQ(pop_all(pool), units);
}

TEST_F(biased_fifo_others_test, remove_what_is_not_in_the_lane) {
    biased_fifo pool;
    worker& w = core::this_worker();
    ASSERT_EQ(pool.attach(w), status::ok);
    const auto units = make_pushed(pool, 2);
    work_unit* const other = make(pool);
    std::thread([&] {
        core::this_worker();
        pool.push(nullptr, other);
        EXPECT_FALSE(pool.remove(units[0])) << "the owner's";
        EXPECT_TRUE(pool.remove(other));
        EXPECT_FALSE(pool.remove(other));
    }).join();
    EXPECT_EQ(pop_all(pool).size(), 2U);
    pool.detach(w);
    pool.push(&w, units[1]);
    EXPECT_TRUE(pool.remove(units[1])) << "nobody has it";
    EXPECT_FALSE(pool.remove(units[1]));
}

// What was pushed before anybody had the pool is the owner's, wherever it stands.
TEST_F(biased_fifo_others_test, leave_what_they_pushed_to_the_next_owner) {
    biased_fifo pool;
    worker& w = core::this_worker();
    const auto before = make_pushed(pool, 3);
    ASSERT_EQ(pool.attach(w), status::ok);
    const auto after = make_pushed(pool, 2);
    EXPECT_TRUE(pool.remove(before[1]));
    EXPECT_TRUE(pool.remove(after[0]));
    pool.collect(w);
    EXPECT_EQ(shown_by(pool).size(), 3U);
    EXPECT_EQ(pop_all(pool).size(), 3U);
    pool.detach(w);
}

TEST_F(biased_fifo_others_test, are_expected_by_threads_without_a_worker) {
    biased_fifo pool;
    worker& w = core::this_worker();
    ASSERT_EQ(pool.attach(w), status::ok);
    make_pushed(pool, 2);
    std::thread([&] { pool.expect_others(); }).join();
    pool.collect(w);  // the owner gives up when it looks
    EXPECT_FALSE(pool.is_private_to(&w));
    EXPECT_EQ(pop_all(pool).size(), 2U);
    pool.detach(w);
}

class private_fifo_others_test : public pool_fixture {};

TEST_F(private_fifo_others_test, do_not_remove_what_is_its_owners) {
    private_fifo pool;
    worker& w = core::this_worker();
    ASSERT_EQ(pool.attach(w), status::ok);
    const auto units = make_pushed(pool, 2);
    std::thread([&] {
        worker& other = core::this_worker();
        EXPECT_FALSE(pool.remove(units[0]));
        EXPECT_EQ(pool.pop(other), nullptr);
        EXPECT_EQ(pool.attach(other), status::busy);
        EXPECT_EQ(shown_by(pool), units) << "its owner rests";
    }).join();
    pool.detach(w);
    std::thread([&] {
        core::this_worker();
        EXPECT_TRUE(pool.remove(units[0]));
        EXPECT_FALSE(pool.remove(units[0])) << "it is not there any more";
    }).join();
    EXPECT_EQ(pop_all(pool).size(), 1U);
}

class stealing_pool_others_test : public pool_fixture {};

TEST_F(stealing_pool_others_test, others_take_nothing_out_of_its_deque_by_name) {
    stealing_pool pool;
    worker& w = core::this_worker();
    ASSERT_EQ(pool.attach(w), status::ok);
    const auto units = make_pushed(pool, 2);
    std::thread([&] {
        worker& other = core::this_worker();
        EXPECT_FALSE(pool.remove(units[1]));
        EXPECT_FALSE(pool.take(other, units[1]));
        EXPECT_EQ(pool.attach(other), status::busy);
        pool.detach(other);  // it had not attached it
    }).join();
    EXPECT_TRUE(pool.is_owned());
    EXPECT_TRUE(pool.remove(units[1]));
    EXPECT_FALSE(pool.remove(units[1]));
    EXPECT_EQ(pop_all(pool).size(), 1U);
    pool.detach(w);
}

TEST_F(stealing_pool_others_test, a_stream_has_the_fast_way_of_one) {
    stealing_pool first;
    stealing_pool second;
    worker& w = core::this_worker();
    ASSERT_EQ(first.attach(w), status::ok);
    ASSERT_EQ(second.attach(w), status::ok);
    EXPECT_EQ(w.lane->home(), &first);
    second.detach(w);
    EXPECT_EQ(w.lane->home(), &first);
    first.detach(w);
    EXPECT_EQ(w.lane, nullptr);
}

TEST_F(stealing_pool_others_test, a_parent_is_taken_back_by_the_owner_alone_and_once) {
    stealing_pool pool;
    worker& w = core::this_worker();
    work_unit* const parent = make(pool);
    EXPECT_EQ(pool.push_parent(&w, parent), core::pool::no_ticket) << "nobody has it";
    ASSERT_EQ(pool.attach(w), status::ok);
    EXPECT_EQ(pool.pop(w), parent);
    const auto place = pool.push_parent(&w, parent);
    ASSERT_NE(place, core::pool::no_ticket);
    EXPECT_FALSE(pool.take_parent(w, parent, core::pool::no_ticket));
    EXPECT_FALSE(pool.take_parent(w, make(pool), place)) << "another one stands there";
    std::thread([&] { EXPECT_FALSE(pool.take_parent(core::this_worker(), parent, place)); }).join();
    EXPECT_TRUE(pool.take_parent(w, parent, place));
    EXPECT_FALSE(pool.take_parent(w, parent, place));
    pool.detach(w);
}

// The pusher takes an urgent unit over only if both its own pool and the unit's are streams' pools
// in the group of thieves. Otherwise the unit goes to its own pool, as after push().
TEST_F(stealing_pool_others_test, what_is_urgent_goes_to_the_pool_where_it_cannot_be_taken_over) {
    stealing_pool pool;
    worker& w = core::this_worker();
    work_unit* const u = make(pool);
    pool.push_soon(nullptr, u);
    EXPECT_EQ(pool.pop(w), u);
    pool.push_soon(&w, u);  // a thread that is no stream
    EXPECT_EQ(pool.pop(w), u);
    {
        const runtime running(1);
        stealing_pool& ours = *sched::this_stream()->stealing();
        pool.push_soon(&core::this_worker(), u);  // a user's pool
        EXPECT_EQ(u->home, &pool);
        EXPECT_EQ(pool.pop(w), u);
        u->home = &ours;
        ours.push_soon(&core::this_worker(), u);  // its own
        EXPECT_EQ(ours.pop(w), u);
    }
    u->home = &pool;
}

}  // namespace
