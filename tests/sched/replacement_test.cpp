// SPDX-License-Identifier: BSD-3-Clause
// Streams that replace their main scheduler by another one.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "lazult/sched/sched.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;
using sched::scheduler;
using sched::shared_fifo;
using sched::stream;

// Tells when it is in charge.
template <class Base>
class successor final : public Base {
public:
    template <class... Arguments>
    explicit successor(Arguments&&... arguments) : Base(std::forward<Arguments>(arguments)...) {}
    work_unit* waiting = nullptr;
    std::atomic<int> times{0};

protected:
    void took_over(worker& w) noexcept override {
        Base::took_over(w);
        times.fetch_add(1);
        if (waiting != nullptr) {
            core::unpark(std::exchange(waiting, nullptr));
        }
    }
};

class own_loop_scheduler : public scheduler {
public:
    explicit own_loop_scheduler(loop_kind kind = loop_kind::own_stateful) : scheduler(kind) {
        set_budget(1);
    }
    const char* name() const noexcept override { return "own loop"; }

protected:
    work_unit* next(worker& w) noexcept override { return pop_in_order(w); }
    void own_loop() override {
        for (;;) {
            worker& w = core::this_worker();
            if (work_unit* u = next(w); u != nullptr) {
                run(u);
            } else if (!wait(w)) {
                return;
            }
        }
    }
};

using basic = successor<sched::basic_scheduler>;
using looping = successor<own_loop_scheduler>;

// Called by a unit of the stream. Its home is a pool of the old scheduler.
template <class Next>
void replace_here(Next& next, sched::ready_pool& new_home) {
    work_unit* self = core::current_unit();
    stream& here = *sched::this_stream();
    scheduler& old = here.main_scheduler();
    next.waiting = self;
    next.request_stop(scheduler::keep_running);
    ASSERT_EQ(here.replace_main(next), status::ok);
    self->join.open();
    self->home = &new_home;
    old.request_stop(scheduler::stop_when_empty);
    core::park();
    EXPECT_EQ(&here, sched::this_stream());
    EXPECT_EQ(&here.main_scheduler(), &next);
    EXPECT_EQ(core::this_worker().here, &next);
    EXPECT_EQ(&here.default_pool(), &new_home);
}

template <class First, class Second>
void take_turns(technique how) {
    private_fifo first_pool;
    private_fifo second_pool;
    First first;
    Second second;
    first.add_pool(first_pool);
    second.add_pool(second_pool);
    unit u = spawn(first_pool, how, [&] {
        for (int round = 0; round < 10; ++round) {
            replace_here(second, second_pool);
            unit child = spawn(second_pool, technique::adaptive, [] { suspend_for_a_moment(); });
            EXPECT_EQ(child.join(), status::ok);
            replace_here(first, first_pool);
        }
    });
    stream* s = nullptr;
    ASSERT_EQ(stream::start(first, {}, &s), status::ok);
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(first.times.load(), 10);
    EXPECT_EQ(second.times.load(), 10);
    first.request_stop(scheduler::stop_when_empty);
    stream::discard(s);
}

class replacement : public testing::TestWithParam<technique> {};

TEST_P(replacement, a_units_stream_goes_on_under_another_scheduler) {
    const runtime running;
    take_turns<basic, basic>(GetParam());
    take_turns<basic, looping>(GetParam());
    take_turns<looping, looping>(GetParam());
}
INSTANTIATE_TEST_SUITE_P(all, replacement, testing::ValuesIn(suspending_techniques),
                         [](const auto& param) { return support::name_of(param.param); });

TEST(replaced, under_an_adopted_thread_and_with_a_pool_in_common) {
    const runtime outer;
    std::thread([] {
        shared_fifo pool;
        private_fifo common;
        basic first;
        looping second;
        for (scheduler* s : {static_cast<scheduler*>(&first), static_cast<scheduler*>(&second)}) {
            s->add_pool(pool);
            s->add_pool(common);
        }
        worker& w = core::this_worker();
        work_unit* primary = core::prepare(
            w, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
        stream* s = nullptr;
        ASSERT_EQ(stream::adopt(first, *primary, {}, &s), status::ok);
        for (int round = 0; round < 5; ++round) {
            replace_here(second, pool);
            EXPECT_TRUE(common.serves(w));
            unit u = spawn(common, technique::adaptive, [] { suspend_for_a_moment(); });
            EXPECT_EQ(u.join(), status::ok);
            replace_here(first, pool);
        }
        EXPECT_EQ(stream::release(s), status::ok);
        EXPECT_FALSE(common.serves(w));
        core::dispose(w, primary);
    }).join();
}

TEST(replaced, the_one_before_may_be_destroyed_while_the_stream_goes_on) {
    const runtime running;
    private_fifo pool;
    auto first = std::make_unique<basic>();
    auto second = std::make_unique<looping>();
    basic third;
    for (scheduler* s : {static_cast<scheduler*>(first.get()),
                         static_cast<scheduler*>(second.get()), static_cast<scheduler*>(&third)}) {
        s->add_pool(pool);
    }
    stream* s = nullptr;
    ASSERT_EQ(stream::start(*first, {}, &s), status::ok);
    unit u = spawn(pool, technique::adaptive, [&] {
        replace_here(*second, pool);
        first.reset();
        replace_here(third, pool);
        second.reset();
    });
    EXPECT_EQ(u.join(), status::ok);
    third.request_stop(scheduler::stop_when_empty);
    stream::discard(s);
}

TEST(replaced, not_by_one_with_a_pool_of_another_stream) {
    const runtime running;
    private_fifo own;
    private_fifo foreign;
    sched::basic_scheduler first;
    sched::basic_scheduler second;
    first.add_pool(own);
    second.add_pool(own);
    second.add_pool(foreign);
    EXPECT_EQ(foreign.attach(core::this_worker()), status::ok);
    stream* s = nullptr;
    ASSERT_EQ(stream::start(first, {}, &s), status::ok);
    unit u = spawn(own, technique::adaptive, [&] {
        EXPECT_EQ(sched::this_stream()->replace_main(second), status::busy);
        EXPECT_TRUE(own.serves(core::this_worker()));
    });
    EXPECT_EQ(u.join(), status::ok);
    first.request_stop(scheduler::stop_when_empty);
    stream::discard(s);
    foreign.detach(core::this_worker());
}

}  // namespace
