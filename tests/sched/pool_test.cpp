// SPDX-License-Identifier: BSD-3-Clause
// Every kind of pool by itself: order, ownership, pushes from elsewhere, removal, sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "lazult/sched/theft_patience.hpp"
#include "tests/support/pool_fixture.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::biased_fifo;
using sched::priority_pool;
using sched::private_fifo;
using sched::ready_pool;
using sched::shared_fifo;
using sched::stealing_pool;

template <class Pool>
class any_pool_test : public pool_fixture {
protected:
    void SetUp() override {
        pool_fixture::SetUp();
        ASSERT_EQ(pool.attach(core::this_worker()), status::ok);
    }
    void TearDown() override {
        pool.detach(core::this_worker());
        pool_fixture::TearDown();
    }
    Pool pool;
};
using kinds = testing::Types<private_fifo, biased_fifo, shared_fifo, priority_pool, stealing_pool>;
TYPED_TEST_SUITE(any_pool_test, kinds);

TYPED_TEST(any_pool_test, counts_what_it_holds) {
    worker& w = core::this_worker();
    EXPECT_EQ(this->pool.size(), 0U);
    EXPECT_FALSE(this->pool.maybe_has_work(w));
    EXPECT_EQ(this->pool.pop(w), nullptr);
    const auto all = this->make_pushed(this->pool, 5);
    EXPECT_EQ(this->pool.size(), 5U);
    EXPECT_TRUE(this->pool.maybe_has_work(w));
    auto popped = this->pop_all(this->pool);
    EXPECT_EQ(std::set<work_unit*>(popped.begin(), popped.end()),
              std::set<work_unit*>(all.begin(), all.end()));
    EXPECT_EQ(this->pool.size(), 0U);
    EXPECT_FALSE(this->pool.maybe_has_work(w));
}

TYPED_TEST(any_pool_test, brings_what_other_threads_push_to_its_owner_once) {
    constexpr int per_thread = 500;
    std::vector<work_unit*> all;
    for (int i = 0; i < 2 * per_thread; ++i) {
        all.push_back(this->make(this->pool));
    }
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < per_thread; ++i) {
                this->pool.push(t == 0 ? &core::this_worker() : nullptr,
                                all[static_cast<std::size_t>(t * per_thread + i)]);
            }
            done.fetch_add(1);
        });
    }
    std::multiset<work_unit*> popped;
    while (done.load() != 2 || this->pool.maybe_has_work(core::this_worker())) {
        if (work_unit* u = this->pool.pop(core::this_worker()); u != nullptr) {
            popped.insert(u);
        }
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(popped, std::multiset<work_unit*>(all.begin(), all.end()));
}

TYPED_TEST(any_pool_test, a_unit_that_gives_way_does_not_come_next) {
    worker& w = core::this_worker();
    work_unit* first = this->make(this->pool);
    work_unit* second = this->make(this->pool);
    this->pool.push(&w, first);
    this->pool.push_yielded(&w, second);
    EXPECT_EQ(this->pool.pop(w), first);
    this->pool.push(&w, first);
    EXPECT_NE(this->pool.pop(w), nullptr);
    EXPECT_NE(this->pool.pop(w), nullptr);
    EXPECT_EQ(this->pool.pop(w), nullptr);
}

TYPED_TEST(any_pool_test, takes_the_only_unit_and_no_other_one) {
    worker& w = core::this_worker();
    work_unit* here = this->make(this->pool);
    work_unit* not_here = this->make(this->pool);
    EXPECT_FALSE(this->pool.take(w, here));
    this->pool.push(&w, here);
    EXPECT_FALSE(this->pool.take(w, not_here));
    EXPECT_EQ(this->pool.size(), 1U);
    EXPECT_TRUE(this->pool.take(w, here));
    EXPECT_EQ(this->pool.size(), 0U);
    EXPECT_FALSE(this->pool.take(w, here));
}

TYPED_TEST(any_pool_test, removes_the_unit_that_it_would_pop_next) {
    worker& w = core::this_worker();
    const auto all = this->make_pushed(this->pool, 3);
    work_unit* next = this->pool.pop(w);
    this->pool.push(&w, next);
    while (this->pool.pop(w) != nullptr) {
    }
    this->pool.push(&w, all[0]);
    EXPECT_TRUE(this->pool.remove(all[0]));
    EXPECT_FALSE(this->pool.remove(all[0]));
    EXPECT_EQ(this->pool.pop(w), nullptr);
}

TYPED_TEST(any_pool_test, shows_what_it_holds) {
    worker& w = core::this_worker();
    const auto all = this->make_pushed(this->pool, 4);
    work_unit* elsewhere = this->make(this->pool);
    std::thread([&] { this->pool.push(&core::this_worker(), elsewhere); }).join();
    this->pool.pop(w);
    std::vector<work_unit*> shown;
    this->pool.for_each(
        [](work_unit* u, void* into) { static_cast<std::vector<work_unit*>*>(into)->push_back(u); },
        &shown);
    EXPECT_EQ(this->pool.size(), 4U);
    const auto popped = this->pop_all(this->pool);
    EXPECT_EQ(std::set<work_unit*>(shown.begin(), shown.end()),
              std::set<work_unit*>(popped.begin(), popped.end()));
    EXPECT_EQ(shown.size(), popped.size());
}

TYPED_TEST(any_pool_test, keeps_a_word_for_its_maker) {
    struct made_from : TypeParam {};
    made_from derived;
    EXPECT_EQ(derived.makers_word(), nullptr);
    derived.set_makers_word(this);
    EXPECT_EQ(derived.makers_word(), this);
}

TYPED_TEST(any_pool_test, has_a_name) { EXPECT_FALSE(std::string(this->pool.kind()).empty()); }

// --- what the kinds promise each

class private_fifo_test : public pool_fixture {};

TEST_F(private_fifo_test, is_first_in_first_out) {
    private_fifo pool;
    pool.attach(core::this_worker());
    const auto all = make_pushed(pool, 10);
    EXPECT_EQ(pop_all(pool), all);
    pool.detach(core::this_worker());
}

TEST_F(private_fifo_test, belongs_to_one_stream_at_a_time) {
    private_fifo pool;
    worker& mine = core::this_worker();
    EXPECT_EQ(pool.attach(mine), status::ok);
    EXPECT_EQ(pool.attach(mine), status::ok);
    EXPECT_TRUE(pool.serves(mine));
    std::thread([&] {
        worker& other = core::this_worker();
        EXPECT_EQ(pool.attach(other), status::busy);
        EXPECT_FALSE(pool.serves(other));
        EXPECT_EQ(pool.pop(other), nullptr);
        pool.detach(other);  // not its own: nothing happens
    }).join();
    pool.detach(mine);  // attached twice
    EXPECT_TRUE(pool.serves(mine));
    pool.detach(mine);
    std::thread([&] {
        worker& other = core::this_worker();
        EXPECT_EQ(pool.attach(other), status::ok);
        pool.detach(other);
    }).join();
}

TEST_F(private_fifo_test, serves_any_thread_that_pops_while_no_stream_has_it) {
    private_fifo pool;
    worker& w = core::this_worker();
    const auto all = make_pushed(pool, 5);
    EXPECT_EQ(pool.pop(w), all[0]);
    EXPECT_FALSE(pool.serves(w));
    std::thread([&] {
        EXPECT_EQ(pool.pop(core::this_worker()), all[1]);
        EXPECT_TRUE(pool.remove(all[3]));
    }).join();
    EXPECT_EQ(pool.size(), 2U);
    pool.push(&w, all[0]);
    EXPECT_EQ(pool.attach(w), status::ok);
    EXPECT_EQ(pop_all(pool), (std::vector<work_unit*>{all[2], all[4], all[0]}));
    pool.detach(w);
}

TEST_F(private_fifo_test, gives_each_unit_to_one_of_many_poppers) {
    private_fifo pool;
    constexpr int count = 4000;
    std::vector<work_unit*> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(make(pool));
    }
    std::atomic<int> popped{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            worker& w = core::this_worker();
            while (popped.load() != count) {
                const bool attached = t == 0 && pool.attach(w) == status::ok;
                if (pool.pop(w) != nullptr) {
                    popped.fetch_add(1);
                }
                if (attached) {
                    pool.detach(w);
                }
            }
        });
    }
    for (work_unit* u : all) {
        pool.push(&core::this_worker(), u);
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(popped.load(), count);
    EXPECT_EQ(pool.size(), 0U);
}

TEST_F(private_fifo_test, what_a_passing_popper_left_comes_to_the_successor) {
    private_fifo pool;
    shared_fifo successor;
    worker& w = core::this_worker();
    const auto all = make_pushed(pool, 3);
    EXPECT_EQ(pool.pop(w), all[0]);  // the others are in its queue now
    pool.retire(successor);
    pool.push(&w, all[0]);
    EXPECT_EQ(pool.size(), 0U);
    EXPECT_EQ(pop_all(successor), (std::vector<work_unit*>{all[1], all[2], all[0]}));
}

TEST_F(private_fifo_test, what_it_holds_survives_a_change_of_owner) {
    private_fifo pool;
    worker& mine = core::this_worker();
    const auto early = make_pushed(pool, 2);  // before anybody owns it
    pool.attach(mine);
    const auto local = make_pushed(pool, 3);
    pool.detach(mine);
    EXPECT_EQ(pool.size(), 5U);
    std::vector<work_unit*> popped;
    std::thread([&] {
        worker& other = core::this_worker();
        ASSERT_EQ(pool.attach(other), status::ok);
        while (work_unit* u = pool.pop(other)) {
            popped.push_back(u);
        }
        pool.detach(other);
    }).join();
    EXPECT_EQ(popped.size(), 5U);
}

TEST_F(private_fifo_test, removes_from_the_middle_the_front_and_the_end) {
    private_fifo pool;
    worker& w = core::this_worker();
    pool.attach(w);
    const auto all = make_pushed(pool, 5);
    EXPECT_TRUE(pool.remove(all[2]));
    EXPECT_TRUE(pool.remove(all[0]));
    EXPECT_TRUE(pool.remove(all[4]));
    EXPECT_EQ(pool.size(), 2U);
    pool.push(&w, all[4]);
    EXPECT_EQ(pop_all(pool), (std::vector<work_unit*>{all[1], all[3], all[4]}));
    std::thread([&] { EXPECT_FALSE(pool.remove(all[1])); }).join();
    pool.detach(w);
}

class shared_fifo_test : public pool_fixture {};

TEST_F(shared_fifo_test, is_first_in_first_out_and_removal_keeps_the_order) {
    shared_fifo pool;
    auto all = make_pushed(pool, 10);
    EXPECT_TRUE(pool.remove(all[4]));
    EXPECT_EQ(pool.size(), 9U);
    all.erase(all.begin() + 4);
    EXPECT_EQ(pop_all(pool), all);
}

TEST_F(shared_fifo_test, shows_its_units_while_others_pop_and_push) {
    shared_fifo pool;
    worker& w = core::this_worker();
    const auto all = make_pushed(pool, 50);
    std::atomic<bool> stop{false};
    std::thread popper([&] {
        while (!stop.load()) {
            if (work_unit* u = pool.pop(core::this_worker()); u != nullptr) {
                pool.push(nullptr, u);
            }
        }
    });
    for (int round = 0; round < 2000; ++round) {
        struct seen {
            const std::vector<work_unit*>* all;
            std::size_t count = 0;
        } these{&all};
        pool.for_each(
            [](work_unit* u, void* into) {
                auto& mine = *static_cast<seen*>(into);
                ASSERT_NE(std::find(mine.all->begin(), mine.all->end(), u), mine.all->end());
                ++mine.count;
            },
            &these);
        EXPECT_LE(these.count, 100U)
            << "a unit that comes back may be shown again, and there is an end";
    }
    stop = true;
    popper.join();
    EXPECT_EQ(pool.size(), 50U);
    while (pool.pop(w) != nullptr) {
    }
}

TEST_F(shared_fifo_test, serves_any_number_of_consumers) {
    shared_fifo pool;
    constexpr int count = 4000;
    std::vector<work_unit*> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(make(pool));
    }
    std::atomic<int> popped{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            while (popped.load() != count) {
                if (pool.pop(core::this_worker()) != nullptr) {
                    popped.fetch_add(1);
                }
            }
        });
    }
    for (work_unit* u : all) {
        pool.push(&core::this_worker(), u);
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(pool.size(), 0U);
}

class priority_pool_test : public pool_fixture {};

TEST_F(priority_pool_test, pops_the_most_urgent_and_is_fifo_within_a_level) {
    priority_pool pool;
    worker& w = core::this_worker();
    std::vector<work_unit*> all;
    for (const int p : {5, 0, 7, 0, 5, 200}) {
        all.push_back(make(pool, static_cast<std::uint8_t>(p)));
        pool.push(&w, all.back());
    }
    // Levels beyond the last count as the last.
    EXPECT_EQ(pop_all(pool),
              (std::vector<work_unit*>{all[1], all[3], all[0], all[4], all[2], all[5]}));
}

class stealing_pool_test : public pool_fixture {};

TEST_F(stealing_pool_test, the_owner_takes_the_newest_and_thieves_the_oldest) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    const auto all = make_pushed(pool, 4);
    EXPECT_EQ(pool.pop(w), all[3]);
    std::thread([&] {
        worker& thief = core::this_worker();
        stealing_pool own;
        own.join_group(1);
        own.attach(thief);
        work_unit* stolen = pool.steal(thief, own);
        EXPECT_EQ(stolen, all[0]);
        EXPECT_EQ(stolen->home, &own);
        EXPECT_EQ(pool.attach(thief), status::busy);
        own.detach(thief);
    }).join();
    EXPECT_EQ(pool.pop(w), all[2]);
    EXPECT_EQ(pool.pop(w), all[1]);
    EXPECT_EQ(pool.pop(w), nullptr);
    pool.detach(w);
}

TEST_F(stealing_pool_test, stays_until_it_was_detached_as_often_as_attached) {
    stealing_pool pool;
    worker& w = core::this_worker();
    EXPECT_EQ(pool.attach(w), status::ok);
    EXPECT_EQ(pool.attach(w), status::ok);
    pool.detach(w);
    EXPECT_TRUE(pool.is_owned());
    pool.detach(w);
    EXPECT_FALSE(pool.is_owned());
}

// And leaves it at home: a user's pool may be destroyed before the units that its stream has stolen
// have ended.
TEST_F(stealing_pool_test, a_thief_that_gets_no_answer_helps_itself_to_one) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    const auto units = make_pushed(pool, 100);
    std::thread([&] {
        worker& thief = core::this_worker();
        stealing_pool own;
        own.attach(thief);
        EXPECT_EQ(pool.steal(thief, own), units[0]);
        EXPECT_EQ(units[0]->home, &pool);
        EXPECT_EQ(own.size(), 0U);
        own.detach(thief);
    }).join();
    EXPECT_EQ(pop_all(pool).size(), 99U);
    pool.detach(w);
}

TEST_F(stealing_pool_test, an_owner_that_was_asked_gives_many_of_many) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    const auto units = make_pushed(pool, 100);
    EXPECT_EQ(left_to_thief(pool), 0U);  // it asked, and helped itself
    EXPECT_EQ(pool.pop(w), units[99]);   // the owner answers
    EXPECT_EQ(left_to_thief(pool), 8U);  // of 16 given, and the one that came back
    EXPECT_EQ(pop_all(pool).size(), 99U);
    pool.detach(w);
}

TEST_F(stealing_pool_test, an_owner_that_was_asked_gives_one_of_few) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    const auto units = make_pushed(pool, 5);
    EXPECT_EQ(left_to_thief(pool), 0U);
    EXPECT_FALSE(w.lane->is_open_for(&pool));
    EXPECT_TRUE(pool.take(w, units[4]));  // its own child first
    pool.push(&w, units[4]);
    EXPECT_TRUE(w.lane->is_open_for(&pool));
    // of 1 to 4, 1 was given; 0 came back to the inbox
    EXPECT_EQ(w.lane->units().size_estimate(), 3U);
    EXPECT_EQ(pop_all(pool).size(), 5U);
    pool.detach(w);
    EXPECT_EQ(w.lane, nullptr);
}

// Its own stream goes on with such a unit at its next switch.
TEST_F(stealing_pool_test, a_thief_that_asked_ahead_does_not_get_the_only_unit_that_goes_on) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const resumed = make(pool);
    resumed->begin_to_leave();
    work_unit* const fresh = make(pool);
    const auto kept = [&] { return w.lane->units().size_estimate(); };
    pool.ask_ahead();
    pool.push(&w, resumed);
    EXPECT_EQ(kept(), 1U);
    EXPECT_TRUE(w.lane->is_open_for(&pool)) << "the owner has answered";
    pool.ask_ahead();
    pool.push(&w, fresh);
    EXPECT_EQ(kept(), 1U) << "of two it gives the older one";
    EXPECT_EQ(pop_all(pool), (std::vector<work_unit*>{fresh, resumed}));
    pool.ask_ahead();
    pool.push(&w, fresh);
    EXPECT_EQ(kept(), 0U) << "a unit that begins may begin elsewhere";
    EXPECT_EQ(pop_all(pool), std::vector<work_unit*>{fresh});
    resumed->context = nullptr;
    pool.detach(w);
}

TEST_F(stealing_pool_test, a_thief_that_asks_now_gets_the_only_unit_that_goes_on) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    work_unit* const resumed = make(pool);
    resumed->begin_to_leave();
    pool.push(&w, resumed);
    EXPECT_EQ(left_to_thief(pool), 0U);  // it helped itself, and put the unit into the inbox
    EXPECT_EQ(w.lane->units().size_estimate(), 0U);
    EXPECT_EQ(pop_all(pool), std::vector<work_unit*>{resumed});
    resumed->context = nullptr;
    pool.detach(w);
}

// Asks for as long as it takes, at most a second, with a switch of the owner's before each look.
bool ends_although_the_owner_switches(sched::theft_patience& patience, const stealing_pool& pool) {
    const std::int64_t end = os::now_ns() + 1'000'000'000;
    bool has_ended = false;
    while (!has_ended && os::now_ns() < end) {
        core::this_worker().count.suspensions.increment();
        has_ended = patience.has_ended(pool);
    }
    return has_ended;
}

bool ends_when_the_owner_computes(sched::theft_patience& patience, const stealing_pool& pool) {
    const std::int64_t end = os::now_ns() + 1'000'000'000;
    while (!patience.has_ended(pool) && os::now_ns() < end) {
    }
    return patience.has_ended(pool);
}

TEST_F(stealing_pool_test, a_thief_leaves_an_only_unit_to_an_owner_that_switches) {
    stealing_pool pool;
    worker& w = core::this_worker();
    sched::theft_patience patience;
    pool.attach(w);
    const auto units = make_pushed(pool, 1);
    EXPECT_FALSE(patience.has_ended(pool)) << "it has just seen the unit";
    EXPECT_TRUE(ends_when_the_owner_computes(patience, pool));
    w.count.suspensions.increment();
    patience.start_anew();
    EXPECT_FALSE(patience.has_ended(pool)) << "the owner has switched meanwhile";
    w.count.started.increment();
    EXPECT_FALSE(patience.has_ended(pool)) << "it has started something";
    EXPECT_TRUE(ends_although_the_owner_switches(patience, pool)) << "it never comes to this unit";
    EXPECT_EQ(pop_all(pool), units);
    pool.detach(w);
}

TEST_F(stealing_pool_test, a_thief_takes_at_once_what_can_be_spared) {
    stealing_pool pool;
    worker& w = core::this_worker();
    sched::theft_patience patience;
    pool.attach(w);
    make_pushed(pool, 2);
    EXPECT_TRUE(patience.has_ended(pool)) << "of two units one can be spared";
    work_unit* const last = pop_all(pool)[0];
    pool.push(&w, last);
    EXPECT_FALSE(patience.has_ended(pool));
    pool.detach(w);
    EXPECT_TRUE(patience.has_ended(pool)) << "it has no owner any more";
    EXPECT_EQ(pop_all(pool).size(), 1U);
}

// The owner keeps pushing and popping; what others pushed must get its turn.
TEST_F(stealing_pool_test, what_it_holds_survives_its_owner) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    const auto all = make_pushed(pool, 4);
    pool.detach(w);
    EXPECT_EQ(pool.size(), 4U);
    std::thread([&] {
        worker& other = core::this_worker();
        ASSERT_EQ(pool.attach(other), status::ok);
        int popped = 0;
        while (pool.pop(other) != nullptr) {
            ++popped;
        }
        EXPECT_EQ(popped, 4);
        pool.detach(other);
    }).join();
}

TEST_F(stealing_pool_test, what_its_owner_left_comes_to_the_successor) {
    stealing_pool pool;
    shared_fifo successor;
    worker& w = core::this_worker();
    ASSERT_EQ(pool.attach(w), status::ok);
    make_pushed(pool, 4);
    pool.detach(w);
    pool.retire(successor);
    EXPECT_EQ(pool.size(), 0U);
    EXPECT_EQ(pop_all(successor).size(), 4U);
}

TEST_F(stealing_pool_test, thieves_and_owner_share_everything_exactly_once) {
    stealing_pool pool;
    worker& w = core::this_worker();
    pool.attach(w);
    constexpr int count = 20'000;
    std::vector<work_unit*> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(make(pool));
    }
    std::atomic<bool> done{false};
    std::atomic<int> total{0};
    std::vector<std::thread> thieves;
    for (int t = 0; t < 2; ++t) {
        thieves.emplace_back([&] {
            worker& thief = core::this_worker();
            stealing_pool own;
            own.join_group(1);
            own.attach(thief);
            int mine = 0;
            while (!done.load() || pool.maybe_has_work(thief)) {
                if (pool.steal(thief, own) != nullptr) {
                    ++mine;
                }
                while (own.pop(thief) != nullptr) {
                    ++mine;
                }
            }
            own.detach(thief);
            total.fetch_add(mine);
        });
    }
    int mine = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        i % 3 == 0 ? pool.push_yielded(&w, all[i]) : pool.push(&w, all[i]);
        if (i % 2 == 0 && pool.pop(w) != nullptr) {
            ++mine;
        }
    }
    while (pool.pop(w) != nullptr) {
        ++mine;
    }
    done = true;
    for (std::thread& t : thieves) {
        t.join();
    }
    EXPECT_EQ(mine + total.load(), count);
    pool.detach(w);
}

}  // namespace
