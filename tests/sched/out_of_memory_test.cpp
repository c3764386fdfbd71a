// SPDX-License-Identifier: BSD-3-Clause
// If memory is refused to streams, schedulers or pools, this is reported, and what there was before
// goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "lazult/sched/steal_group.hpp"
#include "tests/support/runtime.hpp"
#include "tests/support/scarcity.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::scheduler;
using sched::shared_fifo;
using sched::stealing_pool;
using sched::stream;

TEST(out_of_memory, an_event_callback_is_refused) {
    std::vector<std::uint64_t> added;
    const auto nothing = [](void*) { return 0; };
    const auto is_refused = [&] {
        const scarcity none;
        added.push_back(sched::add_event_callback(nothing, nullptr, sched::awaited::when_expected));
        return added.back() == 0;
    };
    added.reserve(1000);
    while (!is_refused()) {  // into the room that is left
        ASSERT_LT(added.size(), added.capacity());
    }
    added.back() = sched::add_event_callback(nothing, nullptr, sched::awaited::when_expected);
    for (const std::uint64_t id : added) {
        EXPECT_NE(id, 0U);
        sched::remove_event_callback(id);
    }
    EXPECT_FALSE(sched::has_event_callbacks());
}

TEST(out_of_memory, a_pool_is_refused_by_its_scheduler) {
    shared_fifo pool;
    sched::basic_scheduler main;
    const auto add = [&] {
        const status outcome = main.add_pool(pool);
        EXPECT_TRUE(outcome == status::ok ||
                    (outcome == status::out_of_memory && main.pools().empty()));
        return outcome == status::ok;
    };
    EXPECT_GE(refusals_until(add), 2);
    EXPECT_EQ(main.pools().size(), 1U);
}

// --- streams of a door

class streams_of_a_door : public testing::Test {
protected:
    streams_of_a_door() {
        EXPECT_EQ(base::override_settings(settings_for(1)), status::ok);
        sched::enter_process();
    }
    ~streams_of_a_door() override {
        EXPECT_EQ(sched::stream_count(), 0);
        sched::leave_process();
    }
};

TEST_F(streams_of_a_door, a_stream_is_refused) {
    static std::atomic<bool> has_ended;
    has_ended = false;
    shared_fifo pool;
    sched::basic_scheduler main;
    EXPECT_EQ(main.add_pool(pool), status::ok);
    const int here[] = {0};
    const sched::stream_options options{
        .on_end = [](void*) { has_ended = true; }, .processors = here, .thread_name = nullptr};
    stream* s = nullptr;
    const auto start = [&] {
        const status outcome = stream::start(main, options, &s);
        EXPECT_TRUE(outcome == status::ok || (outcome == status::out_of_memory && s == nullptr));
        return outcome == status::ok;
    };
    EXPECT_GE(refusals_until(start), 2);
    ASSERT_NE(s, nullptr);
    unit u = spawn(pool, technique::lazy_stack, [] { suspend_for_a_moment(); });
    EXPECT_EQ(u.join(), status::ok);
    main.request_stop(scheduler::stop_when_empty);
    while (!has_ended) {
        std::this_thread::yield();
    }
    stream::discard(s);
}

TEST_F(streams_of_a_door, a_thread_is_not_adopted) {
    shared_fifo pool;
    sched::basic_scheduler main;
    EXPECT_EQ(main.add_pool(pool), status::ok);
    worker& w = core::this_worker();
    work_unit* const primary =
        core::prepare(w, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
    stream* s = nullptr;
    const auto adopt = [&] {
        const status outcome = stream::adopt(main, *primary, {}, &s);
        EXPECT_TRUE(outcome == status::ok ||
                    (outcome == status::out_of_memory && s == nullptr && w.here == nullptr));
        return outcome == status::ok;
    };
    EXPECT_GE(refusals_until(adopt), 1);
    EXPECT_EQ(stream::adopt(main, *primary, {}, &s), status::busy) << "it is one already";
    unit u = spawn(pool, technique::lazy_stack, [] { suspend_for_a_moment(); });
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(stream::release(s), status::ok);
    core::dispose(&w, primary);
}

// A stream that finds no memory for its scheduler's stack has not begun: that is larger than all
// that is left, but an OS thread's own is not.
TEST(out_of_memory, a_scheduler_finds_no_stack) {
    base::settings large = settings_for(1);
    large.scheduler_stack_size = std::size_t{512} << 20;
    ASSERT_EQ(base::override_settings(large), status::ok);
    sched::enter_process();
    in_child([] {
        shared_fifo pool;
        sched::basic_scheduler main;
        EXPECT_EQ(main.add_pool(pool), status::ok);
        worker& w = core::this_worker();
        work_unit* const primary = core::prepare(
            w, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
        if (!limit_addresses(std::size_t{256} << 20)) {
            return false;
        }
        stream* s = nullptr;
        EXPECT_EQ(stream::adopt(main, *primary, {}, &s), status::out_of_memory);
        EXPECT_EQ(stream::start(main, {}, &s), status::out_of_memory);
        EXPECT_EQ(s, nullptr);
        EXPECT_EQ(w.here, nullptr);
        EXPECT_EQ(sched::stream_count(), 0);
        return true;
    });
    sched::leave_process();
}

// --- nodes of shared pools

// They come in pages from the system.
void use_up_nodes() {
    worker& w = core::this_worker();
    shared_fifo pool;
    stealing_pool shared;
    ASSERT_EQ(shared.attach(w), status::ok);
    std::vector<work_unit*> all(50'000);
    for (work_unit*& u : all) {
        u = core::prepare(
            w, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
    }
    ASSERT_TRUE(limit_addresses(0));
    const auto refused =
        std::find_if(all.begin(), all.end(), [](work_unit* u) { return !sched::provide_node(*u); });
    ASSERT_NE(refused, all.end());
    work_unit* const without = *refused;
    EXPECT_EQ(without->node, nullptr);
    // An owner that is asked to share keeps what it cannot pass on.
    shared.push(&w, without);
    w.lane->ask();
    shared.collect(w);
    w.lane->ask();
    EXPECT_FALSE(w.lane->is_open_for(&shared));
    EXPECT_EQ(shared.pop(w), without);
    shared.detach(w);
    lift_limit_on_addresses();
    EXPECT_TRUE(sched::provide_node(*without));
    for (work_unit* u : all) {
        core::dispose(&w, u);
    }
}

TEST(out_of_memory, nodes_of_shared_pools_are_refused) {
    in_child([] {
        if (!limit_addresses(std::size_t{1} << 30)) {
            return false;
        }
        lift_limit_on_addresses();
        use_up_nodes();
        return true;
    });
}

// What finds no room in the owner's deque stands where others push.
TEST(out_of_memory, a_deque_that_cannot_grow_takes_no_more) {
    worker& w = core::this_worker();
    stealing_pool pool;
    ASSERT_EQ(pool.attach(w), status::ok);
    std::vector<work_unit*> all;
    for (int i = 0; i < 2000; ++i) {
        all.push_back(core::prepare(
            w, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack)));
        ASSERT_TRUE(sched::provide_node(*all.back()));
    }
    core::pool::ticket last = 0;
    {
        const scarcity none;
        for (work_unit* u : all) {
            last = pool.push_parent(&w, u);
        }
    }
    EXPECT_EQ(last, core::pool::no_ticket);
    EXPECT_EQ(pool.size(), all.size());
    std::size_t popped = 0;
    while (pool.pop(w) != nullptr) {
        ++popped;
    }
    EXPECT_EQ(popped, all.size());
    pool.detach(w);
    for (work_unit* u : all) {
        core::dispose(&w, u);
    }
}

// --- thieves

// The thief then learns later which streams it may steal from.
TEST(out_of_memory, a_thief_goes_on_without_knowing_all_others) {
    const runtime running(1);
    let_the_scheduler_have_its_stack();
    stream* other = nullptr;
    ASSERT_EQ(stream::start_default(&other), status::ok);
    const unsigned period = base::current_settings().event_period;
    {
        const scarcity none;
        for (unsigned i = 0; i != 4 * period; ++i) {
            core::yield();  // the loop looks at the group of thieves, in vain
        }
    }
    std::atomic<bool> may_end{false};
    std::atomic<bool> runs{false};
    unit hog = spawn(*other->pinned(), technique::lazy_stack, [&] {
        runs = true;
        while (!may_end.load()) {
        }
    });
    while (!runs.load()) {
        std::this_thread::yield();
    }
    std::atomic<stream*> ran_on{nullptr};
    unit stolen =
        spawn(other->default_pool(), technique::lazy_stack, [&] { ran_on = sched::this_stream(); });
    while (ran_on.load() == nullptr) {
        core::yield();
    }
    EXPECT_EQ(ran_on.load(), sched::this_stream());
    may_end = true;
    EXPECT_EQ(hog.join(), status::ok);
    EXPECT_EQ(stolen.join(), status::ok);
    EXPECT_EQ(stream::join(other), status::ok);
}

}  // namespace
