// SPDX-License-Identifier: BSD-3-Clause
// Tests of units that yielded in a work-stealing pool: the owner runs them in order, thieves may
// take them when they have left, and they do not delay other units for ever.
#include "tests/support/pool_fixture.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::stealing_pool;

class turns_test : public pool_fixture {};

TEST_F(turns_test, what_gave_way_comes_after_the_newest_and_in_its_turn) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const first = make(pool);
    work_unit* const second = make(pool);
    work_unit* const newest = make(pool);
    pool.push_yielded(&w, first);
    pool.push(&w, newest);
    pool.push_yielded(&w, second);
    EXPECT_EQ(pool.size(), 3U);
    EXPECT_TRUE(pool.maybe_has_work(w));
    EXPECT_EQ(shown_by(pool).size(), 3U);
    EXPECT_EQ(pop_all(pool), (std::vector<work_unit*>{newest, first, second}));
    EXPECT_FALSE(pool.maybe_has_work(w));
    pool.detach(w);
}

TEST_F(turns_test, a_thief_that_gets_no_answer_takes_what_gave_way) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const first = make(pool);
    work_unit* const second = make(pool);
    pool.push_yielded(&w, first);
    pool.push_yielded(&w, second);
    std::thread([&] {
        worker& thief = core::this_worker();
        stealing_pool own;
        own.attach(thief);
        EXPECT_EQ(pool.steal(thief, own), first);
        own.detach(thief);
    }).join();
    EXPECT_EQ(pop_all(pool), std::vector<work_unit*>{second});
    pool.detach(w);
}

// The unit still uses its stack, so the thief takes nothing. The owner pops the unit after the
// switch.
TEST_F(turns_test, a_thief_leaves_a_unit_without_a_saved_context) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const leaves = make(pool);
    leaves->begin_to_leave();
    pool.push_yielded(&w, leaves);
    std::thread([&] {
        worker& thief = core::this_worker();
        stealing_pool own;
        own.attach(thief);
        EXPECT_EQ(pool.steal(thief, own), nullptr);
        own.detach(thief);
    }).join();
    EXPECT_EQ(pop_all(pool), std::vector<work_unit*>{leaves});
    leaves->context = nullptr;
    pool.detach(w);
}

TEST_F(turns_test, an_owner_that_was_asked_gives_half_of_what_gave_way) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    for (int i = 0; i < 9; ++i) {
        pool.push_yielded(&w, make(pool));
    }
    // it asked, and helped itself; that one is back in the inbox
    EXPECT_EQ(left_to_thief(pool), 0U);
    work_unit* const popped = pool.pop(w);
    ASSERT_NE(popped, nullptr);
    pool.push_yielded(&w, popped);       // the owner has answered: of 7, 4
    EXPECT_EQ(left_to_thief(pool), 2U);  // of 5
    EXPECT_EQ(pop_all(pool).size(), 9U);
    pool.detach(w);
}

TEST_F(turns_test, what_gave_way_survives_its_owner) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    pool.push_yielded(&w, make(pool));
    make_pushed(pool, 2);
    pool.detach(w);
    EXPECT_EQ(pool.size(), 3U);
    ASSERT_EQ(pool.attach(w), status::ok);
    EXPECT_EQ(pop_all(pool).size(), 3U);
    pool.detach(w);
}

// Of the owner's units each gives way to the other one, so that neither the inbox nor the deque
// seems to be needed.
TEST_F(turns_test, what_gives_way_for_ever_holds_up_nobody) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const other = make(pool);
    std::thread([&] { pool.push(nullptr, other); }).join();
    pool.push_yielded(&w, make(pool));
    work_unit* running = make(pool);
    int turns = 0;
    for (; running != other && turns < 1000; ++turns) {
        pool.push_yielded(&w, running);
        running = pool.pop(w);
    }
    EXPECT_EQ(running, other);
    EXPECT_LE(turns, 3 * 64);
    pop_all(pool);
    pool.detach(w);
}

}  // namespace
