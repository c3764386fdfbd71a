// SPDX-License-Identifier: BSD-3-Clause
// Streams of a door: under a scheduler that outlives them, without a runtime, started anew.
#include <gtest/gtest.h>

#include <sched.h>

#include <chrono>
#include <csignal>
#include <memory>

#include <thread>

#include "lazult/sched/stream.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;
using sched::scheduler;
using sched::shared_fifo;
using sched::stream;

struct ending {
    std::atomic<int> ended{0};
    static void hear(void* self) { static_cast<ending*>(self)->ended.fetch_add(1); }
    void await(int times) const {
        while (ended.load() < times) {
            std::this_thread::yield();
        }
    }
    sched::stream_options options() {
        return {.owner = this, .on_end = hear, .processors = {}, .thread_name = "door 1"};
    }
};

class process : public testing::Test {
protected:
    process() : units_before_(core::live_units()), stacks_before_(live_stacks()) {
        EXPECT_EQ(base::override_settings(settings_for(1)), status::ok);
        sched::enter_process();
    }
    ~process() override {
        sched::leave_process();
        EXPECT_EQ(sched::stream_count(), 0);
        EXPECT_EQ(core::live_units(), units_before_);
        EXPECT_EQ(live_stacks(), stacks_before_);
    }

private:
    std::size_t units_before_;
    std::size_t stacks_before_;
};

TEST_F(process, freezes_the_settings_while_somebody_is_in_it) {
    EXPECT_EQ(base::override_settings(settings_for(2)), status::busy);
    sched::enter_process();
    sched::leave_process();
    EXPECT_EQ(base::override_settings(settings_for(2)), status::busy);
}

TEST_F(process, a_stream_ends_and_starts_anew_under_the_same_scheduler) {
    ending end;
    shared_fifo pool;
    sched::basic_scheduler main;
    EXPECT_EQ(main.add_pool(pool), status::ok);
    std::atomic<int> ran{0};
    for (int round = 1; round <= 20; ++round) {
        main.request_stop(scheduler::keep_running);
        stream* s = nullptr;
        ASSERT_EQ(stream::start(main, end.options(), &s), status::ok);
        EXPECT_TRUE(s->is_independent());
        EXPECT_EQ(s->owner(), &end);
        unit u = spawn(pool, suspending_techniques[static_cast<std::size_t>(round) % 6], [&] {
            suspend_for_a_moment();
            EXPECT_EQ(sched::this_stream()->owner(), &end);
            ran.fetch_add(1);
        });
        main.request_stop(scheduler::stop_when_empty);
        end.await(round);
        EXPECT_EQ(s->state(), sched::stream_state::ended);
        stream::discard(s);
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(ran.load(), round);
    }
}

TEST_F(process, a_stream_that_cannot_start_leaves_nothing_behind) {
    ending end;
    private_fifo pool;
    EXPECT_EQ(pool.attach(core::this_worker()), status::ok);
    sched::basic_scheduler main;
    EXPECT_EQ(main.add_pool(pool), status::ok);
    stream* s = nullptr;
    EXPECT_EQ(stream::start(main, end.options(), &s), status::busy);
    EXPECT_EQ(s, nullptr);
    EXPECT_EQ(sched::stream_count(), 0);
    pool.detach(core::this_worker());
    ASSERT_EQ(stream::start(main, end.options(), &s), status::ok);
    main.request_stop(scheduler::stop_now);
    end.await(1);
    stream::discard(s);
}

// There is a limit, and it ends no process.
TEST_F(process, schedulers_beyond_the_limit_are_refused) {
    ending end;
    shared_fifo pool;
    std::vector<std::unique_ptr<scheduler>> all;
    do {
        all.push_back(std::make_unique<sched::basic_scheduler>());
    } while (all.back()->is_usable() && all.size() < 3000);
    ASSERT_FALSE(all.back()->is_usable());
    EXPECT_GE(all.size(), 1000U);
    all.back()->add_pool(pool);
    all.back()->wake();
    stream* s = nullptr;
    EXPECT_EQ(stream::start(*all.back(), end.options(), &s), status::out_of_memory);
    work_unit* unit = nullptr;
    EXPECT_EQ(sched::push_scheduler(*all.back(), pool, &unit), status::out_of_memory);
    EXPECT_EQ(pool.size(), 0U);
    all.resize(1);
    sched::basic_scheduler next;
    EXPECT_TRUE(next.is_usable());
}

TEST_F(process, a_stream_runs_on_its_processor_and_bears_its_name) {
    ending end;
    shared_fifo pool;
    sched::waiting_scheduler main;
    main.add_pool(pool);
    const int here[] = {0};
    sched::stream_options options = end.options();
    options.processors = here;
    stream* s = nullptr;
    ASSERT_EQ(stream::start(main, options, &s), status::ok);
    unit u = spawn(pool, technique::adaptive, [] {
        cpu_set_t set;
        ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
        EXPECT_EQ(CPU_COUNT(&set), 1);
        EXPECT_TRUE(CPU_ISSET(0, &set));
        char name[16] = {};
        EXPECT_EQ(::pthread_getname_np(::pthread_self(), name, sizeof name), 0);
        EXPECT_STREQ(name, "door 1");
    });
    EXPECT_EQ(u.join(), status::ok);
    main.request_stop(scheduler::stop_when_empty);
    end.await(1);
    stream::discard(s);
}

TEST_F(process, an_adopted_thread_is_a_unit_that_is_at_home_in_a_pool_of_the_doors) {
    for (int round = 0; round < 3; ++round) {
        std::thread([] {
            shared_fifo pool;
            sched::basic_scheduler main;
            EXPECT_EQ(main.add_pool(pool), status::ok);
            worker& w = core::this_worker();
            work_unit* primary = core::prepare(
                w, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
            stream* s = nullptr;
            ASSERT_EQ(stream::adopt(main, *primary, {}, &s), status::ok);
            EXPECT_EQ(core::current_unit(), primary);
            EXPECT_TRUE(s->is_primary());
            std::atomic<int> ran{0};
            unit u = spawn(pool, technique::adaptive, [&] {
                suspend_for_a_moment();
                ran.fetch_add(1);
            });
            suspend_for_a_moment();
            EXPECT_EQ(u.join(), status::ok);
            EXPECT_EQ(ran.load(), 1);
            stream* second = nullptr;
            EXPECT_EQ(stream::adopt(main, *primary, {}, &second), status::busy);
            EXPECT_EQ(stream::release(s), status::ok);
            EXPECT_EQ(core::current_unit(), nullptr);
            core::dispose(w, primary);
        }).join();
    }
}

// Its home is shared, and so it wanders.
TEST_F(process, an_adopted_threads_thread_runs_on_other_streams_too) {
    if (probe::tsan) {
        GTEST_SKIP();
    }
    std::thread([] {
        ending end;
        shared_fifo pool;
        sched::basic_scheduler main;
        sched::basic_scheduler second;
        main.add_pool(pool);
        second.add_pool(pool);
        worker& home = core::this_worker();
        work_unit* primary = core::prepare(
            home, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
        stream* s = nullptr;
        ASSERT_EQ(stream::adopt(main, *primary, {}, &s), status::ok);
        stream* other = nullptr;
        ASSERT_EQ(stream::start(second, end.options(), &other), status::ok);
        for (int round = 0; round < 20; ++round) {
            while (sched::this_stream() == s) {
                suspend_for_a_moment();
            }
            EXPECT_EQ(sched::this_stream(), other);
            EXPECT_EQ(stream::release(s), status::not_supported);
            unit child = spawn(pool, suspending_techniques[static_cast<std::size_t>(round) % 6],
                               [] { suspend_for_a_moment(); });
            EXPECT_EQ(child.join(), status::ok);
            while (sched::this_stream() != s) {
                suspend_for_a_moment();
            }
            EXPECT_EQ(&core::this_worker(), &home);
        }
        second.request_stop(scheduler::stop_when_empty);
        end.await(1);
        stream::discard(other);
        while (sched::this_stream() != s) {
            suspend_for_a_moment();
        }
        EXPECT_EQ(stream::release(s), status::ok);
        core::dispose(home, primary);
    }).join();
}

// --- attention

struct attention {
    static inline std::atomic<int> calls{0};
    static inline std::atomic<scheduler*> last{nullptr};
    attention() {
        calls = 0;
        sched::on_attention([] {
            last = static_cast<scheduler*>(core::this_worker().here);
            calls.fetch_add(1);
        });
    }
    ~attention() { sched::on_attention(nullptr); }
    static bool come(int wanted) {
        for (int ms = 0; ms < 10'000 && calls.load() < wanted; ++ms) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return calls.load() >= wanted;
    }
};

TEST_F(process, idle_and_busy_streams_attend_when_they_are_called) {
    const attention watched;
    ending end;
    shared_fifo idle_pool;
    sched::waiting_scheduler idle;
    idle.add_pool(idle_pool);
    shared_fifo busy_pool;
    sched::basic_scheduler busy;
    busy.add_pool(busy_pool);
    stream* streams[2];
    ASSERT_EQ(stream::start(idle, end.options(), &streams[0]), status::ok);
    ASSERT_EQ(stream::start(busy, end.options(), &streams[1]), status::ok);
    std::atomic<bool> stop{false};
    const auto turn = [&] {
        while (!stop.load()) {
            core::yield();
        }
    };
    unit one = spawn(busy_pool, technique::adaptive, turn);
    unit two = spawn(busy_pool, technique::full, turn);
    for (int round = 1; round <= 20; ++round) {
        sched::call_attention();
        ASSERT_TRUE(attention::come(2 * round));
    }
    EXPECT_EQ(attention::calls.load(), 40) << "once for each call";
    stop = true;
    EXPECT_EQ(one.join(), status::ok);
    EXPECT_EQ(two.join(), status::ok);
    for (scheduler* s : {static_cast<scheduler*>(&idle), static_cast<scheduler*>(&busy)}) {
        s->request_stop(scheduler::stop_when_empty);
    }
    end.await(2);
    stream::discard(streams[0]);
    stream::discard(streams[1]);
}

TEST_F(process, a_signal_handler_may_call_for_attention) {
    const attention watched;
    ending end;
    shared_fifo pool;
    sched::waiting_scheduler main;
    main.add_pool(pool);
    stream* s = nullptr;
    ASSERT_EQ(stream::start(main, end.options(), &s), status::ok);
    const auto before = std::signal(SIGUSR1, [](int) { sched::call_attention(); });
    ASSERT_EQ(::raise(SIGUSR1), 0);
    EXPECT_TRUE(attention::come(1));
    EXPECT_EQ(attention::last.load(), &main);
    std::signal(SIGUSR1, before);
    main.request_stop(scheduler::stop_when_empty);
    end.await(1);
    stream::discard(s);
}

// It has no pools, and runs what it finds in another's.
class borrowing_scheduler final : public sched::basic_scheduler {
public:
    explicit borrowing_scheduler(shared_fifo& from) noexcept : from_(from) {}

protected:
    work_unit* next(worker& w) noexcept override { return from_.pop(w); }
    bool has_work(worker& w) noexcept override { return from_.maybe_has_work(w); }

private:
    shared_fifo& from_;
};

TEST_F(process, units_of_a_stream_without_pools_go_to_the_runtime) {
    ending end;
    shared_fifo pool;
    borrowing_scheduler main(pool);
    stream* s = nullptr;
    ASSERT_EQ(stream::start(main, end.options(), &s), status::ok);
    ASSERT_EQ(sched::start_runtime(), status::ok);
    std::atomic<bool> has_ended{false};
    unit u = spawn(pool, technique::full, [s, &has_ended] {
        EXPECT_EQ(sched::this_stream(), s);
        EXPECT_EQ(s->default_pool_or_null(), nullptr);
        EXPECT_EQ(&sched::default_pool(&core::this_worker()),
                  &sched::primary_stream()->default_pool());
        has_ended = true;
    });
    main.wake();
    // A joiner would run it in place.
    while (!has_ended) {
        std::this_thread::yield();
    }
    EXPECT_EQ(u.join(), status::ok);
    ASSERT_EQ(sched::stop_runtime(true), status::ok);
    main.request_stop(scheduler::stop_when_empty);
    end.await(1);
    stream::discard(s);
}

// The runtime's end is not theirs, and its units do not come to them.
TEST_F(process, a_runtime_beside_leaves_them_alone) {
    ending end;
    private_fifo pool;
    sched::basic_scheduler main;
    main.add_pool(pool);
    stream* s = nullptr;
    ASSERT_EQ(stream::start(main, end.options(), &s), status::ok);
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(sched::start_runtime(), status::ok);
        std::thread([] {
            for (int i = 0; i < 10; ++i) {
                EXPECT_NE(&sched::default_pool(nullptr), nullptr);
                EXPECT_EQ(&sched::default_pool(nullptr), &sched::primary_stream()->default_pool());
            }
        }).join();
        unit u = spawn(pool, technique::adaptive, [] { suspend_for_a_moment(); });
        EXPECT_EQ(u.join(), status::ok);
        suspend_for_a_moment();
        ASSERT_EQ(sched::stop_runtime(true), status::ok);
        EXPECT_EQ(s->state(), sched::stream_state::running);
    }
    main.request_stop(scheduler::stop_when_empty);
    end.await(1);
    stream::discard(s);
}

// --- anew on the same OS thread

TEST_F(process, a_stream_that_has_ended_begins_anew_on_its_thread) {
    ending end;
    shared_fifo pool;
    sched::basic_scheduler first;
    sched::basic_scheduler second;
    EXPECT_EQ(first.add_pool(pool), status::ok);
    EXPECT_EQ(second.add_pool(pool), status::ok);
    stream* s = nullptr;
    ASSERT_EQ(stream::start(first, end.options(), &s), status::ok);
    const auto thread = s->thread_handle();
    first.request_stop(scheduler::stop_when_empty);
    end.await(1);
    for (const char* const name : {"anew", static_cast<const char*>(nullptr)}) {
        second.request_stop(scheduler::keep_running);
        ASSERT_EQ(
            s->restart(
                second,
                {.owner = &end, .on_end = ending::hear, .processors = {}, .thread_name = name}),
            status::ok);
        EXPECT_EQ(&s->main_scheduler(), &second);
        unit u = spawn(pool, technique::lazy_stack, [&] {
            suspend_for_a_moment();
            EXPECT_TRUE(::pthread_equal(::pthread_self(), thread));
            char text[16] = {};
            EXPECT_EQ(::pthread_getname_np(::pthread_self(), text, sizeof text), 0);
            EXPECT_EQ(std::string(text).substr(0, 4), name == nullptr ? "lazu" : name);
        });
        EXPECT_EQ(u.join(), status::ok);
        second.request_stop(scheduler::stop_when_empty);
        end.await(name == nullptr ? 3 : 2);
    }
    // A pool that is somebody's: it has ended still.
    private_fifo taken;
    ASSERT_EQ(taken.attach(core::this_worker()), status::ok);
    sched::basic_scheduler third;
    EXPECT_EQ(third.add_pool(taken), status::ok);
    EXPECT_EQ(s->restart(third, end.options()), status::busy);
    taken.detach(core::this_worker());
    stream::discard(s);
}

// --- what is refused

TEST_F(process, a_thread_is_not_adopted_under_a_scheduler_that_cannot_run) {
    worker& w = core::this_worker();
    shared_fifo pool;
    private_fifo taken;
    work_unit* const primary =
        core::prepare(w, pool, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
    std::thread owner;
    std::atomic<int> step{0};
    owner = std::thread([&] {
        EXPECT_EQ(taken.attach(core::this_worker()), status::ok);
        step = 1;
        while (step.load() == 1) {
            std::this_thread::yield();
        }
        taken.detach(core::this_worker());
    });
    while (step.load() == 0) {
        std::this_thread::yield();
    }
    sched::basic_scheduler main;
    EXPECT_EQ(main.add_pool(pool), status::ok);
    EXPECT_EQ(main.add_pool(taken), status::ok);
    stream* s = nullptr;
    EXPECT_EQ(stream::adopt(main, *primary, {}, &s), status::busy);
    ending end;
    sched::basic_scheduler next;
    shared_fifo pool_of_next;
    EXPECT_EQ(next.add_pool(pool_of_next), status::ok);
    std::vector<std::unique_ptr<scheduler>> all;
    do {
        all.push_back(std::make_unique<sched::basic_scheduler>());
    } while (all.back()->is_usable());
    EXPECT_EQ(stream::adopt(*all.back(), *primary, {}, &s), status::out_of_memory);
    EXPECT_EQ(s, nullptr);
    EXPECT_EQ(w.here, nullptr);
    step = 2;
    owner.join();
    // With its pools free, and a stream of its own, it refuses what would replace it but cannot
    // run; and so when it ended.
    ASSERT_EQ(stream::adopt(main, *primary, {}, &s), status::ok);
    EXPECT_EQ(s->replace_main(*all.back()), status::out_of_memory);
    EXPECT_EQ(stream::join(s), status::not_supported) << "it is a thread's own";
    unit other = spawn(pool, technique::lazy_stack,
                       [&] { EXPECT_EQ(stream::release(s), status::not_supported); });
    EXPECT_EQ(other.join(), status::ok);
    stream* second = nullptr;
    ASSERT_EQ(stream::start(next, end.options(), &second), status::ok);
    next.request_stop(scheduler::stop_now);
    end.await(1);
    EXPECT_EQ(second->restart(*all.back(), end.options()), status::out_of_memory);
    stream::discard(second);
    EXPECT_EQ(stream::release(s), status::ok);
    core::dispose(&w, primary);
}

}  // namespace
