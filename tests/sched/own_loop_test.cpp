// SPDX-License-Identifier: BSD-3-Clause
// What doors build schedulers from: loops that decide everything, ends of their own, stacked ones
// that nobody joins.
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <utility>

#include "lazult/sched/scheduler.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;
using sched::ready_pool;
using sched::scheduler;
using sched::stream;

// Each unit's every step is this loop's decision.
class deciding_scheduler : public scheduler {
public:
    explicit deciding_scheduler(ready_pool& pool, bool stateful = true)
        : scheduler(stateful ? loop_kind::own_stateful : loop_kind::own_stateless) {
        set_budget(1);
        EXPECT_EQ(add_pool(pool), status::ok);
        set_fast_pool(nullptr);
    }
    const char* name() const noexcept override { return "deciding"; }
    int decisions() const noexcept { return decisions_.load(); }

protected:
    work_unit* next(worker&) noexcept override {
        ADD_FAILURE() << "somebody else decided";
        return nullptr;
    }
    void own_loop() override {
        for (;;) {
            worker& w = core::this_worker();
            if (work_unit* u = pop_in_order(w); u != nullptr) {
                decisions_.fetch_add(1);
                run(u);
            } else if (!wait(w)) {
                return;
            }
        }
    }

private:
    std::atomic<int> decisions_{0};
};

class own_loop : public testing::TestWithParam<technique> {};

TEST_P(own_loop, decides_at_every_yield_suspension_and_end) {
    const runtime running;
    for (const bool stateful : {true, false}) {
        private_fifo pool;
        auto owned = std::make_unique<deciding_scheduler>(pool, stateful);
        deciding_scheduler& s = *owned;
        std::vector<unit> units;
        for (int i = 0; i < 10; ++i) {
            units.push_back(spawn(pool, GetParam(), [] {
                for (int k = 0; k < 3; ++k) {
                    core::yield();
                    suspend_for_a_moment();
                }
            }));
        }
        stream* on = nullptr;
        ASSERT_EQ(stream::start(std::move(owned), &on), status::ok);
        for (unit& u : units) {
            EXPECT_EQ(u.join(), status::ok);
        }
        // Each join from elsewhere sent an opener at most.
        EXPECT_GE(s.decisions(), 70);
        EXPECT_LE(s.decisions(), 80);
        EXPECT_EQ(stream::join(on), status::ok);
    }
}

// A joiner that became ready is found by the loop, not jumped to.
TEST_P(own_loop, decides_when_a_joiner_goes_on) {
    const runtime running;
    private_fifo pool;
    auto owned = std::make_unique<deciding_scheduler>(pool);
    stream* on = nullptr;
    std::atomic<int> joined{0};
    unit parent(pool, core::unit_attributes(GetParam()), [&] {
        for (int i = 0; i < 20; ++i) {
            unit first = spawn(pool, GetParam(), [] { suspend_for_a_moment(); });
            unit second = spawn(pool, technique::full, [] { core::yield(); });
            core::yield();
            EXPECT_EQ(second.join(), status::ok);
            EXPECT_EQ(first.join(), status::ok);
            joined.fetch_add(1);
        }
    });
    parent.launch();
    ASSERT_EQ(stream::start(std::move(owned), &on), status::ok);
    EXPECT_EQ(parent.join(), status::ok);
    EXPECT_EQ(joined.load(), 20);
    EXPECT_EQ(stream::join(on), status::ok);
}
INSTANTIATE_TEST_SUITE_P(all, own_loop, testing::ValuesIn(suspending_techniques),
                         [](const auto& param) { return support::name_of(param.param); });

// --- a scheduler's own code

// Pops nothing before `prologue` has returned.
class prefaced_scheduler final : public deciding_scheduler {
public:
    prefaced_scheduler(ready_pool& pool, std::function<void()> prologue)
        : deciding_scheduler(pool), prologue_(std::move(prologue)) {}

protected:
    void own_loop() override {
        prologue_();
        deciding_scheduler::own_loop();
    }

private:
    std::function<void()> prologue_;
};

core::unit_attributes of_blocking_host() {
    return core::unit_attributes(technique::run_to_completion)
        .user_bits(core::unit_header::blocks_thread);
}

TEST(own_code, of_a_main_scheduler_is_known_and_may_block) {
    const runtime running(2);
    private_fifo pool;
    work_unit* const identity =
        core::prepare(core::this_worker(), pool, [](void*) {}, nullptr, of_blocking_host());
    unit elsewhere(default_pool(), core::unit_attributes(technique::adaptive),
                   [] { core::park(); });
    unit own = spawn(pool, technique::adaptive, [&] {
        EXPECT_NE(core::current_unit(), identity);
        EXPECT_TRUE(core::can_suspend());
        suspend_for_a_moment();
    });
    std::atomic<int> steps{0};
    auto owned = std::make_unique<prefaced_scheduler>(pool, [&] {
        EXPECT_EQ(core::current_unit(), identity);
        EXPECT_FALSE(core::can_suspend());
        core::yield();
        EXPECT_EQ(core::current_unit(), identity);
        EXPECT_EQ(core::yield_to(own.get()), status::cannot_suspend);
        steps = 1;
        EXPECT_EQ(core::join(elsewhere.get()), status::ok);
        elsewhere.set_joined();
        steps = 2;
    });
    owned->set_identity(*identity);
    stream* on = nullptr;
    elsewhere.launch();
    ASSERT_EQ(stream::start(std::move(owned), &on), status::ok);
    while (steps.load() == 0) {
        core::yield();
    }
    core::unpark(elsewhere.get());
    EXPECT_EQ(own.join(), status::ok);
    EXPECT_EQ(steps.load(), 2);
    EXPECT_EQ(stream::join(on), status::ok);
    core::dispose(core::this_worker(), identity);
}

// While it waits, the scheduler below runs what it waits for.
TEST(own_code, of_a_stacked_scheduler_waits_above_the_one_below) {
    const runtime running;
    private_fifo pool;
    unit below(pinned(), core::unit_attributes(technique::adaptive),
               [] { suspend_for_a_moment(); });
    unit own = spawn(pool, technique::adaptive, [] { suspend_for_a_moment(); });
    std::atomic<bool> told{false};
    prefaced_scheduler inner(pool, [&] {
        EXPECT_FALSE(core::can_suspend());
        EXPECT_EQ(core::join(below.get()), status::ok);
        below.set_joined();
        unit teller = spawn(pinned(), technique::adaptive, [&told] { told.store(true); });
        while (!told.load()) {
            core::yield();
        }
        EXPECT_EQ(teller.join(), status::ok);
        EXPECT_FALSE(own.get()->join.is_finished());
    });
    work_unit* stacked = nullptr;
    ASSERT_EQ(sched::push_scheduler(inner, pinned(), &stacked), status::ok);
    below.launch();
    EXPECT_EQ(core::join(stacked), status::ok);
    EXPECT_EQ(own.join(), status::ok);
    core::dispose(core::this_worker(), stacked);
}

// Looks at a unit when it is let go of.
class watching_pool final : public private_fifo {
public:
    work_unit* awaited = nullptr;
    bool was_local = false;

    void detach(worker& w) noexcept override {
        if (work_unit* const u = std::exchange(awaited, nullptr); u != nullptr) {
            was_local = u->join.is_local();
        }
        private_fifo::detach(w);
    }
};

// While it waits its pool may become another stream's, and with it what the pool confines: that may
// end there before the waiter stands in its join word.
TEST(own_code, of_a_stacked_scheduler_leaves_no_unit_local_that_it_waits_for) {
    const runtime running;
    watching_pool pool;
    prefaced_scheduler inner(pool, [&] {
        unit own = spawn(pool, technique::adaptive, [] {});
        EXPECT_TRUE(own.get()->join.is_local());
        unit server = spawn(pinned(), technique::full, [&] {
            work_unit* const found = pool.pop(core::this_worker());
            ASSERT_EQ(found, own.get());
            core::switch_to(found);
        });
        pool.awaited = own.get();
        EXPECT_EQ(own.join(), status::ok);
        EXPECT_EQ(pool.awaited, nullptr);
        EXPECT_FALSE(pool.was_local);
        EXPECT_EQ(server.join(), status::ok);
    });
    work_unit* stacked = nullptr;
    ASSERT_EQ(sched::push_scheduler(inner, pinned(), &stacked), status::ok);
    EXPECT_EQ(core::join(stacked), status::ok);
    core::dispose(core::this_worker(), stacked);
}

// --- ending

class patient_scheduler final : public sched::basic_scheduler {
public:
    std::atomic<int> blocked{0};
    std::atomic<int> asked{0};

protected:
    bool may_end(worker& w, int request) noexcept override {
        asked.fetch_add(1);
        return blocked.load() == 0 && basic_scheduler::may_end(w, request);
    }
};

TEST(ending, a_scheduler_may_wait_for_units_that_are_blocked) {
    const runtime running;
    private_fifo pool;
    auto owned = std::make_unique<patient_scheduler>();
    patient_scheduler& s = *owned;
    s.add_pool(pool);
    unit sleeper = spawn(pool, technique::adaptive, [&] {
        s.blocked = 1;
        core::park();
        s.blocked = 0;
    });
    stream* on = nullptr;
    ASSERT_EQ(stream::start(std::move(owned), &on), status::ok);
    EXPECT_EQ(s.asked.load(), 0) << "nobody asked it to stop";
    std::thread waker([&] {
        while (s.asked.load() < 3) {
            std::this_thread::yield();
        }
        EXPECT_FALSE(sleeper.get()->join.is_finished());
        core::unpark(sleeper.get());
    });
    EXPECT_EQ(stream::join(on), status::ok);
    waker.join();
    EXPECT_TRUE(sleeper.get()->join.is_finished());
}

// What keeps it from ending may go away without anybody waking it.
TEST(ending, is_looked_at_again_without_a_wake_up) {
    const runtime running;
    private_fifo pool;
    auto owned = std::make_unique<patient_scheduler>();
    patient_scheduler& s = *owned;
    s.add_pool(pool);
    s.blocked = 1;
    stream* on = nullptr;
    ASSERT_EQ(stream::start(std::move(owned), &on), status::ok);
    std::thread other([&] {
        while (s.asked.load() < 3) {
            std::this_thread::yield();
        }
        s.blocked = 0;
    });
    EXPECT_EQ(stream::join(on), status::ok);
    other.join();
}

// --- stacked, and joined by nobody

class leaving_scheduler final : public sched::basic_scheduler {
public:
    explicit leaving_scheduler(std::atomic<int>& gone) : gone_(gone) {}
    void released() noexcept override {
        std::atomic<int>& gone = gone_;
        delete this;
        gone.fetch_add(1);
    }

private:
    std::atomic<int>& gone_;
};

TEST(stacked_and_detached, hears_when_nothing_refers_to_it) {
    const runtime running(2);
    for (int round = 0; round < 20; ++round) {
        private_fifo pool;
        std::atomic<int> gone{0};
        std::atomic<int> ran{0};
        auto* inner = new leaving_scheduler(gone);
        inner->add_pool(pool);
        std::vector<unit> units;
        for (const technique how : all_techniques) {
            units.push_back(spawn(pool, how, [&] { ran.fetch_add(1); }));
        }
        sched::stacked_options options;
        options.detached = true;
        options.attributes = core::unit_attributes(technique::lazy_stack, std::size_t{256} << 10);
        work_unit* stacked = nullptr;
        core::pool& below =
            round % 2 == 0 ? static_cast<core::pool&>(pinned()) : *sched::stream_at(1)->pinned();
        ASSERT_EQ(sched::push_scheduler(*inner, below, options, &stacked), status::ok);
        while (gone.load() == 0) {
            core::yield();
        }
        EXPECT_EQ(ran.load(), 7);
        for (unit& u : units) {
            u.join();
        }
    }
}

TEST(stacked_and_detached, or_joined_and_freed) {
    const runtime running;
    private_fifo pool;
    std::atomic<int> gone{0};
    auto* inner = new leaving_scheduler(gone);
    inner->add_pool(pool);
    work_unit* stacked = nullptr;
    ASSERT_EQ(sched::push_scheduler(*inner, pinned(), sched::stacked_options{}, &stacked),
              status::ok);
    EXPECT_EQ(core::join(stacked), status::ok);
    EXPECT_EQ(gone.load(), 0);
    core::dispose(core::this_worker(), stacked);
    EXPECT_EQ(gone.load(), 1);
}

}  // namespace
