// SPDX-License-Identifier: BSD-3-Clause
// Built-in schedulers' promises, user-written ones, stacked ones.
#include "lazult/sched/scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;
using sched::ready_pool;
using sched::scheduler;
using sched::stream;

// A stream under a scheduler of the test's, joined at the end.
class own_stream {
public:
    explicit own_stream(std::unique_ptr<scheduler> s) {
        EXPECT_EQ(stream::start(std::move(s), &stream_), status::ok);
    }
    own_stream(const own_stream&) = delete;
    ~own_stream() { EXPECT_EQ(stream::join(stream_), status::ok); }
    stream* operator->() const { return stream_; }

private:
    stream* stream_ = nullptr;
};

std::unique_ptr<scheduler> with_pools(std::unique_ptr<scheduler> s,
                                      std::initializer_list<ready_pool*> pools) {
    for (ready_pool* p : pools) {
        EXPECT_EQ(s->add_pool(*p), status::ok);
    }
    return s;
}

// A user's pool may give nothing for a while, as if its units waited for their turn.
class hesitant_pool final : public sched::shared_fifo {
public:
    std::atomic<bool> gives{false};

protected:
    work_unit* pop_other(worker& w) noexcept override {
        return gives.load() ? shared_fifo::pop_other(w) : nullptr;
    }
};

TEST(stream_end, comes_when_pools_are_empty_and_not_when_they_give_nothing) {
    const runtime running;
    hesitant_pool pool;
    std::atomic<int> ran{0};
    std::vector<unit> units;
    for (int i = 0; i < 20; ++i) {
        units.push_back(spawn(pool, technique::lazy_stack, [&] { ran.fetch_add(1); }));
    }
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        pool.gives = true;
    });
    {
        const own_stream s(with_pools(sched::make_scheduler(base::scheduler_kind::basic), {&pool}));
    }
    EXPECT_EQ(ran.load(), 20);
    later.join();
    while (pool.size() != 0) {
        if (work_unit* const left = pool.pop(core::this_worker()); left != nullptr) {
            core::run_nested(core::this_worker(), left);
        }
    }
}

// --- fairness and priority

// A unit that keeps its pool full for ever must not keep the other pools from their turn.
TEST(fairness, every_pool_of_a_basic_scheduler_gets_its_turn) {
    const runtime running;
    for (const base::scheduler_kind which :
         {base::scheduler_kind::basic, base::scheduler_kind::waiting}) {
        private_fifo first, second, third;
        own_stream s(with_pools(sched::make_scheduler(which), {&first, &second, &third}));
        std::atomic<bool> stop{false};
        std::vector<unit> hogs;
        for (int i = 0; i < 3; ++i) {
            hogs.push_back(spawn(first, technique::lazy_stack, [&] {
                while (!stop.load()) {
                    core::yield();
                }
            }));
        }
        unit two = spawn(second, technique::adaptive, [] { suspend_for_a_moment(); });
        unit three = spawn(third, technique::adaptive, [] { suspend_for_a_moment(); });
        EXPECT_EQ(two.join(), status::ok);
        EXPECT_EQ(three.join(), status::ok);
        stop = true;
        for (unit& u : hogs) {
            u.join();
        }
    }
}

TEST(fairness, a_priority_scheduler_is_strict) {
    const runtime running;
    private_fifo urgent, later;
    event_log<int> log;
    std::vector<unit> units;
    for (int i = 0; i < 20; ++i) {
        units.push_back(spawn(later, technique::adaptive, [&] { log.add(2); }));
        units.push_back(spawn(urgent, technique::adaptive, [&] {
            core::yield();
            log.add(1);
        }));
    }
    {
        own_stream s(
            with_pools(sched::make_scheduler(base::scheduler_kind::priority), {&urgent, &later}));
    }
    const auto all = log.all();
    ASSERT_EQ(all.size(), 40U);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    for (unit& u : units) {
        u.join();
    }
}

// Before it sleeps. So the owner's next unit is given at once, and nobody has to interrupt the
// owner for it.
TEST(stealing, a_stream_that_finds_nothing_asks_ahead) {
    const runtime running(2);
    const core::steal_lane& own = *core::this_worker().lane;
    const std::int64_t end = os::now_ns() + 5'000'000'000;
    while (!own.is_asked() && os::now_ns() < end) {
        os::yield_thread();
    }
    EXPECT_TRUE(own.is_asked());
    std::atomic<bool> has_run{false};
    unit u =
        spawn(sched::stream_at(0)->default_pool(), technique::adaptive, [&] { has_run = true; });
    while (!has_run && os::now_ns() < end) {
        os::yield_thread();  // this stream's own thread does not give way
    }
    EXPECT_TRUE(has_run);
    EXPECT_EQ(u.join(), status::ok);
}

// Units that each create their successor keep a work-stealing pool's fast end busy for ever.
TEST(fairness, what_others_push_to_a_stealing_pool_gets_its_turn) {
    const runtime running(2);
    static std::atomic<bool> stop;
    static std::atomic<int> chains;
    stop = false;
    chains = 0;
    struct chain {
        static void link(void*) {
            if (stop.load()) {
                chains.fetch_sub(1);
                return;
            }
            worker& w = core::this_worker();
            work_unit* next = core::prepare(w, sched::stream_at(1)->default_pool(), link, nullptr,
                                            core::unit_attributes(technique::adaptive));
            core::detach(next);
            core::launch(w, next);
        }
    };
    // From within stream 1, so that each next one is pushed at the deque's end.
    unit starter = spawn(*sched::stream_at(1)->pinned(), technique::full, [] {
        chains.fetch_add(1);
        chain::link(nullptr);
    });
    std::thread([] {
        for (int i = 0; i < 20; ++i) {
            unit u = spawn(sched::stream_at(1)->default_pool(), technique::adaptive,
                           [] { suspend_for_a_moment(); });
            EXPECT_EQ(u.join(), status::ok);
        }
    }).join();
    stop = true;
    starter.join();
    while (chains.load() != 0) {
        core::yield();
    }
}

// A ULT that does nothing but create and join must let others run now and then.
TEST(fairness, creating_and_joining_for_ever_lets_events_be_polled) {
    const runtime running;
    std::atomic<int> polled{0};
    const std::uint64_t id = sched::add_event_callback(
        [](void* n) {
            static_cast<std::atomic<int>*>(n)->fetch_add(1);
            return 0;
        },
        &polled);
    ASSERT_NE(id, 0U);
    for (const technique how : {technique::full, technique::lazy_stack}) {
        polled = 0;
        for (int i = 0; i < 100'000 && polled.load() == 0; ++i) {
            unit u = spawn(pinned(), how, [] {});
            u.join();
        }
        EXPECT_NE(polled.load(), 0) << support::name_of(how);
    }
    sched::remove_event_callback(id);
}

// --- user-written

// Units that end and give way look for the next one on their stacks.
class lifo_scheduler final : public scheduler {
public:
    ~lifo_scheduler() override { probe::acquire(this); }
    const char* name() const noexcept override { return "last pool first"; }

protected:
    work_unit* next(worker& w) noexcept override {
        work_unit* u = nullptr;
        for (auto p = pools().rbegin(); u == nullptr && p != pools().rend(); ++p) {
            u = (*p)->pop(w);
        }
        probe::release(this);
        return u;
    }
};

// A scheduler with a loop of its own. The loop's frame holds what an abandoned frame would lose.
class looping_scheduler final : public scheduler {
public:
    explicit looping_scheduler(bool stateful, int* destroyed)
        : scheduler(stateful ? loop_kind::own_stateful : loop_kind::own_stateless),
          destroyed_(destroyed) {}
    const char* name() const noexcept override { return "own loop"; }

protected:
    work_unit* next(worker& w) noexcept override { return pop_in_order(w); }
    void own_loop() override {
        struct frame {
            int* destroyed;
            explicit frame(int* d) : destroyed(d) {}
            ~frame() { ++*destroyed; }
        };
        const frame kept(destroyed_);
        for (;;) {
            worker& w = core::this_worker();
            work_unit* u = take_handed_over();
            if (u == nullptr && loop_is_due()) {
                set_budget(64);
                u = poll(w);
            }
            if (u == nullptr) {
                u = next(w);
            }
            if (u != nullptr) {
                run(u);
            } else if (!wait(w)) {
                return;
            }
        }
    }

private:
    int* destroyed_;
};

int run_everything_in(ready_pool& pool) {
    std::atomic<int> good{0};
    std::vector<unit> units;
    for (int i = 0; i < 210; ++i) {
        const technique how = all_techniques[static_cast<std::size_t>(i) % 7];
        units.push_back(spawn(pool, how, [&, how, i] {
            if (how != technique::run_to_completion) {
                for (int k = 0; k < i % 4; ++k) {
                    suspend_for_a_moment();
                }
                unit child = spawn(*core::current_unit()->home, how, [i] {
                    if (i % 3 == 0) {
                        suspend_for_a_moment();
                    }
                });
                child.join();
            }
            good.fetch_add(1);
        }));
    }
    for (unit& u : units) {
        u.join();
    }
    return good.load();
}

TEST(user_scheduler, a_stateless_one_runs_all_techniques) {
    const runtime running;
    private_fifo first, second;
    own_stream s(with_pools(std::make_unique<lifo_scheduler>(), {&first, &second}));
    EXPECT_EQ(run_everything_in(first), 210);
    EXPECT_EQ(run_everything_in(second), 210);
    EXPECT_STREQ(s->main_scheduler().name(), "last pool first");
    EXPECT_TRUE(s->main_scheduler().is_stateless());
}

std::uint64_t fallbacks_of(technique how) {
    return count_all(
        [how](const core::counters& c) { return c.fallbacks[static_cast<int>(how)].get(); });
}

TEST(user_scheduler, under_a_stateful_loop_separation_and_creation_fall_back) {
    const runtime running;
    int destroyed = 0;
    {
        private_fifo pool;
        own_stream s(with_pools(std::make_unique<looping_scheduler>(true, &destroyed), {&pool}));
        EXPECT_FALSE(s->main_scheduler().is_stateless());
        const std::uint64_t creation = fallbacks_of(technique::scheduler_creation);
        const std::uint64_t separation = fallbacks_of(technique::stack_separation);
        for (const technique how : {technique::scheduler_creation, technique::stack_separation}) {
            for (int i = 0; i < 10; ++i) {
                core::start_mode started = core::start_mode::full;
                unit u = spawn(pool, how, [&] {
                    started = core::current_unit()->started;
                    suspend_for_a_moment();
                });
                u.join();
                EXPECT_EQ(started, core::start_mode::return_on_completion);
            }
        }
        EXPECT_EQ(fallbacks_of(technique::scheduler_creation) - creation, 10U);
        EXPECT_EQ(fallbacks_of(technique::stack_separation) - separation, 10U);
        EXPECT_EQ(run_everything_in(pool), 210);
        EXPECT_EQ(destroyed, 0);
    }
    EXPECT_EQ(destroyed, 1) << "the loop's frame was left once, by its return";
}

TEST(user_scheduler, a_stateless_loop_may_be_abandoned_and_called_anew) {
    const runtime running;
    int destroyed = 0;
    private_fifo pool;
    {
        own_stream s(with_pools(std::make_unique<looping_scheduler>(false, &destroyed), {&pool}));
        EXPECT_EQ(run_everything_in(pool), 210);
    }
    EXPECT_GE(destroyed, 1);
}

TEST(user_scheduler, a_stack_larger_than_the_schedulers_falls_back_to_separation) {
    const runtime running;
    const std::uint64_t before = fallbacks_of(technique::scheduler_creation);
    core::start_mode started = core::start_mode::full;
    unit u = spawn(pinned(),
                   core::unit_attributes(technique::scheduler_creation, std::size_t{1} << 20), [&] {
                       started = core::current_unit()->started;
                       suspend_for_a_moment();
                   });
    // On the host, where the technique is chosen; a joiner would choose for itself.
    suspend_for_a_moment();
    u.join();
    EXPECT_EQ(started, core::start_mode::stack_separation);
    EXPECT_EQ(fallbacks_of(technique::scheduler_creation) - before, 1U);
}

class locked_lifo final : public ready_pool {
public:
    status attach(worker&) noexcept override { return status::ok; }
    void detach(worker&) noexcept override {}
    bool maybe_has_work(const worker&) const noexcept override { return size() != 0; }
    const char* kind() const noexcept override { return "user's"; }
    bool remove(work_unit* u) noexcept override {
        const std::lock_guard hold(lock_);
        return std::erase(units_, u) != 0;
    }
    std::size_t size() const noexcept override {
        const std::lock_guard hold(lock_);
        return units_.size();
    }
    bool serves(const worker&) const noexcept override { return false; }

protected:
    void push_other(worker*, work_unit* u) noexcept override {
        {
            const std::lock_guard hold(lock_);
            units_.push_back(u);
        }
        announce();
    }
    void push_yielded_other(worker*, work_unit* u) noexcept override {
        {
            const std::lock_guard hold(lock_);
            units_.push_front(u);
        }
        announce();
    }
    work_unit* pop_other(worker&) noexcept override {
        const std::lock_guard hold(lock_);
        if (units_.empty()) {
            return nullptr;
        }
        work_unit* u = units_.back();
        units_.pop_back();
        return u;
    }
    bool take_other(worker&, work_unit* u) noexcept override {
        const std::lock_guard hold(lock_);
        if (units_.empty() || units_.back() != u) {
            return false;
        }
        units_.pop_back();
        return true;
    }

private:
    mutable std::mutex lock_;
    std::deque<work_unit*> units_;
};

TEST(user_pool, serves_several_streams) {
    const runtime running;
    locked_lifo pool;
    own_stream one(with_pools(sched::make_scheduler(base::scheduler_kind::basic), {&pool}));
    own_stream two(with_pools(sched::make_scheduler(base::scheduler_kind::waiting), {&pool}));
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(run_everything_in(pool), 210);
    }
}

// --- stacked

class stacked_test : public testing::TestWithParam<technique> {};

TEST_P(stacked_test, a_scheduler_as_a_work_unit_runs_its_pools_empty_and_ends) {
    const runtime running;
    const technique how = GetParam();
    for (int round = 0; round < 10; ++round) {
        private_fifo pool;
        auto inner = sched::make_scheduler(base::scheduler_kind::basic);
        inner->add_pool(pool);
        std::atomic<int> ran{0};
        std::vector<unit> units;
        for (int i = 0; i < 30; ++i) {
            units.push_back(spawn(pool, how, [&, i] {
                EXPECT_EQ(core::this_worker().here, inner.get());
                if (how != technique::run_to_completion) {
                    for (int k = 0; k < i % 3; ++k) {
                        core::yield();
                    }
                    unit child = spawn(pool, how, [] { core::yield(); });
                    child.join();
                }
                ran.fetch_add(1);
            }));
        }
        work_unit* stacked = nullptr;
        ASSERT_EQ(sched::push_scheduler(*inner, pinned(), &stacked), status::ok);
        EXPECT_EQ(core::join(stacked), status::ok);
        EXPECT_EQ(ran.load(), 30);
        core::dispose(&core::this_worker(), stacked);
        for (unit& u : units) {
            u.join();
        }
    }
}
INSTANTIATE_TEST_SUITE_P(all, stacked_test, testing::ValuesIn(all_techniques),
                         [](const auto& param) { return support::name_of(param.param); });

// Three deep, each pushed by a unit of the one below.
void push_deeper(int depth, std::atomic<int>& ran) {
    private_fifo pool;
    auto inner = sched::make_scheduler(base::scheduler_kind::basic);
    inner->add_pool(pool);
    std::vector<unit> units;
    for (const technique how : suspending_techniques) {
        units.push_back(spawn(pool, how, [&, depth, how] {
            suspend_for_a_moment();
            if (depth != 0 && how == technique::scheduler_creation) {
                push_deeper(depth - 1, ran);
            }
            suspend_for_a_moment();
            ran.fetch_add(1);
        }));
    }
    work_unit* stacked = nullptr;
    core::pool& below = *core::current_unit()->home;
    ASSERT_EQ(sched::push_scheduler(*inner, below, &stacked), status::ok);
    EXPECT_EQ(core::join(stacked), status::ok);
    core::dispose(&core::this_worker(), stacked);
    for (unit& u : units) {
        u.join();
    }
}

TEST(stacked, schedulers_stack_deeply) {
    const runtime running;
    std::atomic<int> ran{0};
    push_deeper(3, ran);
    EXPECT_EQ(ran.load(), 24);
}

TEST(stacked, one_that_keeps_running_yields_to_the_one_below_until_it_is_stopped) {
    const runtime running;
    private_fifo pool;
    auto inner = sched::make_scheduler(base::scheduler_kind::basic);
    inner->add_pool(pool);
    work_unit* stacked = nullptr;
    ASSERT_EQ(sched::push_scheduler(*inner, pinned(), &stacked), status::ok);
    inner->request_stop(scheduler::keep_running);
    std::atomic<int> ran{0};
    for (int i = 0; i < 50; ++i) {
        unit above = spawn(pool, suspending_techniques[static_cast<std::size_t>(i) % 6], [&] {
            suspend_for_a_moment();
            ran.fetch_add(1);
        });
        unit below = spawn(pinned(), technique::adaptive, [&] { ran.fetch_add(1); });
        EXPECT_EQ(below.join(), status::ok);
        EXPECT_EQ(above.join(), status::ok);
    }
    inner->request_stop(scheduler::stop_when_empty);
    EXPECT_EQ(core::join(stacked), status::ok);
    EXPECT_EQ(ran.load(), 100);
    core::dispose(&core::this_worker(), stacked);
}

// The scheduler is pushed where thieves look. It must stay with the stream that attached its pools.
TEST(stacked, one_in_a_stealing_pool_finds_its_work_whatever_thieves_do) {
    const runtime running(3);
    for (int round = 0; round < 30; ++round) {
        private_fifo pool;
        auto inner = sched::make_scheduler(base::scheduler_kind::basic);
        inner->add_pool(pool);
        std::atomic<int> ran{0};
        // Keeps the scheduler from finding its pool empty before the request to keep running,
        // whichever stream runs it.
        std::atomic<bool> told{false};
        unit first = spawn(pool, technique::adaptive, [&] {
            while (!told.load()) {
                core::yield();
            }
        });
        work_unit* stacked = nullptr;
        ASSERT_EQ(sched::push_scheduler(*inner, default_pool(), &stacked), status::ok);
        inner->request_stop(scheduler::keep_running);
        told = true;
        for (int i = 0; i < 20; ++i) {
            unit u = spawn(pool, suspending_techniques[static_cast<std::size_t>(i) % 6], [&] {
                suspend_for_a_moment();
                ran.fetch_add(1);
            });
            EXPECT_EQ(u.join(), status::ok);
        }
        inner->request_stop(scheduler::stop_when_empty);
        EXPECT_EQ(core::join(stacked), status::ok);
        EXPECT_EQ(ran.load(), 20);
        core::dispose(&core::this_worker(), stacked);
        EXPECT_EQ(first.join(), status::ok);
    }
}

TEST(stacked, a_pool_of_another_stream_is_refused) {
    const runtime running(2);
    auto inner = sched::make_scheduler(base::scheduler_kind::basic);
    inner->add_pool(*sched::stream_at(1)->pinned());
    work_unit* stacked = nullptr;
    ASSERT_EQ(sched::push_scheduler(*inner, pinned(), &stacked), status::ok);
    EXPECT_EQ(core::join(stacked), status::ok);
    core::dispose(&core::this_worker(), stacked);
    unit still_served = spawn(*sched::stream_at(1)->pinned(), technique::adaptive, [] {});
    EXPECT_EQ(still_served.join(), status::ok);
}

}  // namespace
