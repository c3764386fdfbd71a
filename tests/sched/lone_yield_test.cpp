// SPDX-License-Identifier: BSD-3-Clause
// A unit yields while no other is ready on its stream: whether it goes on there, and where it goes
// on otherwise.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::stream;

// A stream under a basic scheduler of its own.
class server {
public:
    template <class... Pools>
    explicit server(Pools&... pools) {
        auto own = sched::make_scheduler(base::scheduler_kind::basic);
        (own->add_pool(pools), ...);
        EXPECT_EQ(stream::start(std::move(own), &stream_), status::ok);
    }
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server() { EXPECT_EQ(stream::join(stream_), status::ok); }
    stream* get() const noexcept { return stream_; }

private:
    stream* stream_ = nullptr;
};

// As a door gives a running unit another pool.
void make_home(core::pool& target) noexcept {
    work_unit& self = *core::current_unit();
    core::open_here(self);
    std::atomic_ref(self.home).store(&target, std::memory_order_relaxed);
}

template <class Pool>
void go_to_and_fro() {
    const runtime running;
    Pool pool_of_one;
    Pool pool_of_two;
    const server one(pool_of_one);
    const server two(pool_of_two);
    unit u = spawn(pool_of_one, technique::lazy_stack, [&] {
        for (int i = 0; i < 500; ++i) {
            make_home(pool_of_two);
            core::yield();
            EXPECT_EQ(sched::this_stream(), two.get());
            make_home(pool_of_one);
            core::yield();
            EXPECT_EQ(sched::this_stream(), one.get());
        }
    });
    EXPECT_EQ(u.join(), status::ok);
}

TEST(lone_yield, leads_to_the_stream_of_a_new_private_pool) {
    go_to_and_fro<sched::private_fifo>();
}
TEST(lone_yield, leads_to_the_stream_of_a_new_biased_pool) { go_to_and_fro<sched::biased_fifo>(); }
TEST(lone_yield, leads_to_the_stream_of_a_new_shared_pool) { go_to_and_fro<sched::shared_fifo>(); }
TEST(lone_yield, leads_to_the_stream_of_a_new_priority_pool) {
    go_to_and_fro<sched::priority_pool>();
}

// --- a child that makes its joiner's pool its home, but ends on another stream: its home says
// nothing about the stream that it ends on

template <class Pool>
void join_one_that_ends_elsewhere(technique how, bool in_place) {
    const runtime running;
    Pool joiners;
    sched::shared_fifo childs;
    const server one(joiners);
    const server two(childs);
    std::atomic<bool> began{false};
    unit joiner = spawn(joiners, technique::lazy_stack, [&] {
        unit child(in_place ? static_cast<core::pool&>(joiners) : childs,
                   core::unit_attributes(how), [&] {
                       if (in_place) {
                           make_home(childs);
                           core::yield();
                       }
                       EXPECT_EQ(sched::this_stream(), two.get());
                       began = true;
                       while (!core::current_unit()->join.has_waiter()) {
                           std::this_thread::yield();
                       }
                       make_home(joiners);
                   });
        child.launch();
        while (!in_place && !began) {
            std::this_thread::yield();
        }
        EXPECT_EQ(child.join(), status::ok);
        EXPECT_EQ(sched::this_stream(), one.get()) << name_of(how) << in_place;
    });
    EXPECT_EQ(joiner.join(), status::ok);
}

TEST(joiner, goes_on_where_its_pool_is_served) {
    for (const technique how : suspending_techniques) {
        for (int round = 0; round < 20; ++round) {
            join_one_that_ends_elsewhere<sched::shared_fifo>(how, false);
            join_one_that_ends_elsewhere<sched::shared_fifo>(how, true);
            join_one_that_ends_elsewhere<sched::private_fifo>(how, false);
            join_one_that_ends_elsewhere<sched::private_fifo>(how, true);
        }
    }
}

// --- two streams, one of which has something else to do

// Keeps its stream busy until the end of the scope.
class occupied {
public:
    explicit occupied(core::pool& pool)
        : unit_(spawn(pool, technique::lazy_stack, [this] {
              began_ = true;
              while (!ends_) {
                  std::this_thread::yield();
              }
          })) {
        while (!began_) {
            std::this_thread::yield();
        }
    }
    ~occupied() {
        ends_ = true;
        EXPECT_EQ(unit_.join(), status::ok);
    }

private:
    std::atomic<bool> began_{false};
    std::atomic<bool> ends_{false};
    unit unit_;
};

// So often was the pool given a unit that yielded alone so many times, by the one of its two
// streams that had nothing else.
template <class Pool>
std::uint64_t departures_of(int yields) {
    const runtime running;
    Pool common;
    sched::private_fifo own;
    const server first(common);
    const server second(own, common);
    const occupied elsewhere(own);
    std::uint64_t departures = 0;
    unit u = spawn(common, technique::lazy_stack, [&] {
        core::yield();
        const std::uint64_t before = core::this_worker().count.suspensions.get();
        for (int i = 0; i < yields; ++i) {
            core::yield();
        }
        departures = core::this_worker().count.suspensions.get() - before;
    });
    EXPECT_EQ(u.join(), status::ok);
    return departures;
}

// Others may pop there in step with the yields: then one in 64 is never seen.
TEST(lone_yield, goes_each_time_through_a_pool_that_others_serve_too) {
    constexpr int yields = 500;
    EXPECT_EQ(departures_of<sched::biased_fifo>(yields), 500U);
    EXPECT_EQ(departures_of<sched::shared_fifo>(yields), 500U);
    EXPECT_EQ(departures_of<sched::priority_pool>(yields), 500U);
}

// --- a stacked scheduler that has nothing to run yields alone, and naps now and then

template <class Pool>
void nap_in() {
    const runtime running;
    Pool below;
    sched::private_fifo above;
    const server one(below);
    auto stacked = sched::make_scheduler(base::scheduler_kind::basic);
    stacked->add_pool(above);
    std::atomic<bool> may_idle{false};
    // Without this unit the scheduler might find its pool empty, and end, before the request to
    // stay.
    unit first = spawn(above, technique::full, [&] {
        while (!may_idle) {
            std::this_thread::yield();
        }
    });
    work_unit* u = nullptr;
    ASSERT_EQ(sched::push_scheduler(*stacked, below, &u), status::ok);
    stacked->request_stop(sched::scheduler::keep_running);
    may_idle = true;
    EXPECT_EQ(first.join(), status::ok);
    const auto naps = [] { return count_all([](core::counters& c) { return c.sleeps.get(); }); };
    const std::uint64_t before = naps();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_GT(naps() - before, 20U);
    stacked->request_stop(sched::scheduler::stop_when_empty);
    EXPECT_EQ(core::join(u), status::ok);
    core::dispose(&core::this_worker(), u);
}

TEST(lone_yield, of_an_idle_stacked_scheduler_leads_to_sleep_in_a_private_pool) {
    nap_in<sched::private_fifo>();
}
TEST(lone_yield, of_an_idle_stacked_scheduler_leads_to_sleep_in_a_shared_pool) {
    nap_in<sched::shared_fifo>();
}
TEST(lone_yield, of_an_idle_stacked_scheduler_leads_to_sleep_in_a_shared_pool_too) {
    nap_in<sched::priority_pool>();
}

}  // namespace
