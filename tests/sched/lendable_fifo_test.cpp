// SPDX-License-Identifier: BSD-3-Clause
// Tests of a private pool that lends: turns of units that yield, in one step.
#include "tests/support/pool_fixture.hpp"

#include <memory>
#include <set>

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::lendable_fifo;

class lendable_fifo_test : public pool_fixture {
protected:
    void SetUp() override {
        pool_fixture::SetUp();
        if (!ds::default_atomics::light_barrier_is_free()) {
            GTEST_SKIP() << "the owner has no lane here";
        }
    }
};

TEST_F(lendable_fifo_test, a_unit_that_yields_changes_turns_with_the_first_one) {
    lendable_fifo pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const running = make(pool);
    EXPECT_EQ(pool.change_turns(w, running), nullptr);
    EXPECT_EQ(pool.size(), 0U);
    work_unit* const first = make(pool);
    work_unit* const second = make(pool);
    pool.push(&w, first);
    pool.push(&w, second);
    EXPECT_EQ(pool.change_turns(w, running), first);
    EXPECT_FALSE(running->has_left());  // its switch is still to come
    EXPECT_EQ(pop_all(pool), (std::vector<work_unit*>{second, running}));
    running->context = nullptr;
    pool.detach(w);
}

TEST_F(lendable_fifo_test, units_that_others_push_get_their_turn) {
    lendable_fifo pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const running = make(pool);
    work_unit* const mine = make(pool);
    work_unit* const others = make(pool);
    pool.push(&w, mine);
    std::thread([&] { pool.push(nullptr, others); }).join();
    EXPECT_EQ(pool.change_turns(w, running), nullptr);
    EXPECT_EQ(pop_all(pool).size(), 2U);
    pool.detach(w);
}

TEST_F(lendable_fifo_test, only_the_owner_changes_turns) {
    lendable_fifo pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const mine = make(pool);
    pool.push(&w, mine);
    work_unit* const running = make(pool);
    std::thread([&] {
        EXPECT_EQ(pool.change_turns(core::this_worker(), running), nullptr);
    }).join();
    EXPECT_EQ(pop_all(pool), std::vector<work_unit*>{mine});
    pool.detach(w);
}

// The unit still uses its stack.
TEST_F(lendable_fifo_test, a_spare_stream_leaves_a_unit_without_a_saved_context) {
    lendable_fifo pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const first = make(pool);
    work_unit* const second = make(pool);
    work_unit* const running = make(pool);
    pool.push(&w, first);
    pool.push(&w, second);
    ASSERT_EQ(pool.change_turns(w, running), first);
    std::thread([&] {
        worker& spare = core::this_worker();
        EXPECT_EQ(pool.lend(spare), second);
        EXPECT_EQ(pool.lend(spare), nullptr);
    }).join();
    EXPECT_EQ(pop_all(pool), std::vector<work_unit*>{running});
    running->context = nullptr;
    pool.detach(w);
}

// Counts are not freed, so those of pools that have ended must be used again.
TEST_F(lendable_fifo_test, pools_that_come_and_go_take_few_counts) {
    worker& w = core::this_worker();
    std::vector<std::unique_ptr<lendable_fifo>> lasting;
    for (int i = 0; i < 8; ++i) {
        lasting.push_back(std::make_unique<lendable_fifo>());
        lasting.back()->attach(w);
    }
    std::set<sched::loan_count*> counts;
    for (int i = 0; i < 10'000; ++i) {
        lendable_fifo pool;
        pool.attach(w);
        counts.insert(pool.loans());
        pool.detach(w);
    }
    EXPECT_LT(counts.size(), 30U);
    for (const auto& each : lasting) {
        each->detach(w);
    }
}

}  // namespace
