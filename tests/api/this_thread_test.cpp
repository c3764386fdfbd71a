// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/this_thread.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <lazult/pool.hpp>
#include <lazult/runtime.hpp>
#include <lazult/scheduler.hpp>
#include <lazult/tasklet.hpp>

#include "tests/support/code_of.hpp"

namespace {

namespace this_thread = lazult::this_thread;
using namespace std::chrono_literals;
using lazult::thread;
using clock_type = std::chrono::steady_clock;

using lazult::support::code_of;

TEST(this_thread, sleeps_at_least_as_long_as_asked) {
    const auto began = clock_type::now();
    thread([] { this_thread::sleep_for(20ms); }).join();
    EXPECT_GE(clock_type::now() - began, 20ms);
    this_thread::sleep_until(std::chrono::system_clock::now() + 5ms);
    EXPECT_GE(clock_type::now() - began, 25ms);
    this_thread::sleep_for(-1s);
    this_thread::sleep_until(clock_type::now() - 1h);
}

TEST(this_thread, sleepers_share_a_stream) {
    const auto began = clock_type::now();
    std::vector<thread> threads;
    for (int i = 0; i < 100; ++i) {
        threads.emplace_back([] { this_thread::sleep_for(30ms); });
    }
    lazult::join_many(threads);
    EXPECT_LT(clock_type::now() - began, 2s);
}

TEST(this_thread, outside_os_threads_sleep_and_yield) {
    std::thread([] {
        const auto began = clock_type::now();
        this_thread::sleep_for(5ms);
        this_thread::yield();
        EXPECT_GE(clock_type::now() - began, 5ms);
        EXPECT_EQ(this_thread::stream_rank(), -1);
        EXPECT_FALSE(this_thread::can_suspend());
        EXPECT_EQ(this_thread::technique_used(), lazult::technique::full);
        EXPECT_EQ(this_thread::get_id(), this_thread::get_id());
        EXPECT_FALSE(this_thread::get_stop_token().stop_possible());
        EXPECT_EQ(code_of([] { this_thread::suspend(); }), lazult::errc::cannot_suspend);
        EXPECT_EQ(code_of([] { this_thread::exit(); }), lazult::errc::not_supported);
    }).join();
}

TEST(this_thread, suspend_and_resume) {
    std::atomic<int> stage{0};
    thread t([&] {
        stage = 1;
        this_thread::suspend();
        stage = 2;
        this_thread::suspend();
        stage = 3;
    });
    while (stage != 1) {
        this_thread::yield();
    }
    resume(t);
    while (stage != 2) {
        this_thread::yield();
    }
    lazult::resume(t.get_id());
    t.join();
    EXPECT_EQ(stage, 3);
}

TEST(this_thread, one_resume_is_kept) {
    std::atomic<bool> go{false};
    thread t([&] {
        while (!go) {
            this_thread::yield();
        }
        this_thread::suspend();
    });
    resume(t);
    go = true;
    t.join();
}

TEST(this_thread, resume_of_strangers) {
    EXPECT_EQ(code_of([] { lazult::resume(thread::id()); }), lazult::errc::invalid_handle);
    thread::id gone;
    {
        thread t([] {});
        gone = t.get_id();
    }
    EXPECT_EQ(code_of([&] { lazult::resume(gone); }), lazult::errc::freed_handle);
}

TEST(this_thread, tasklets_may_not_suspend) {
    lazult::errc suspended{};
    bool may = true;
    lazult::tasklet t([&] {
        suspended = code_of([] { this_thread::suspend(); });
        may = this_thread::can_suspend();
        this_thread::yield();
    });
    t.join();
    EXPECT_EQ(suspended, lazult::errc::cannot_suspend);
    EXPECT_FALSE(may);
}

TEST(this_thread, join_in_a_tasklet) {
    std::atomic<bool> go{false};
    thread blocked([&] {
        while (!go) {
            this_thread::yield();
        }
    });
    while (blocked.get_id() == thread::id()) {
    }
    lazult::errc code{};
    lazult::tasklet t([&] { code = code_of([&] { blocked.join(); }); });
    t.join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
    go = true;
    blocked.join();
}

struct witness {
    std::atomic<int>* destroyed;
    ~witness() { ++*destroyed; }
};

TEST(this_thread, exit_unwinds) {
    std::atomic<int> destroyed{0};
    bool went_on = false;
    thread t([&] {
        const witness here{&destroyed};
        this_thread::yield();
        this_thread::exit();
        went_on = true;
    });
    t.join();
    EXPECT_EQ(destroyed, 1);
    EXPECT_FALSE(went_on);
}

TEST(this_thread, main_cannot_exit) {
    thread([] {}).join();
    EXPECT_EQ(code_of([] { this_thread::exit(); }), lazult::errc::not_supported);
}

TEST(cancel, ends_a_running_thread) {
    std::atomic<int> destroyed{0};
    std::atomic<bool> started{false};
    thread t([&] {
        const witness here{&destroyed};
        started = true;
        for (;;) {
            this_thread::yield();
        }
    });
    while (!started) {
        this_thread::yield();
    }
    cancel(t);
    t.wait();
    EXPECT_TRUE(t.canceled());
    t.join();
    EXPECT_EQ(destroyed, 1);
}

TEST(cancel, before_the_start_destroys_the_callable) {
    std::atomic<bool> ran{false};
    const auto shared = std::make_shared<int>(0);
    lazult::pool unserved(lazult::pool_kind::shared_fifo);
    thread t(lazult::thread_attributes{.where = &unserved}, [&ran, shared] { ran = true; });
    EXPECT_EQ(shared.use_count(), 2);
    cancel(t);
    lazult::execution_stream server(lazult::scheduler_kind::basic, {&unserved});
    t.join();
    EXPECT_FALSE(ran);
    EXPECT_EQ(shared.use_count(), 1);
}

TEST(cancel, of_a_joined_thread) {
    thread t([] {});
    t.join();
    EXPECT_EQ(code_of([&] { cancel(t); }), lazult::errc::invalid_handle);
}

TEST(this_thread, yield_to) {
    lazult::pool pool(lazult::pool_kind::private_fifo);
    std::vector<int> order;
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    thread driver(lazult::thread_attributes{.where = &pool}, [&] {
        thread a(lazult::thread_attributes{.where = &pool}, [&] { order.push_back(1); });
        thread b(lazult::thread_attributes{.where = &pool}, [&] { order.push_back(2); });
        this_thread::yield_to(b);
        a.join();
        b.join();
    });
    driver.join();
    EXPECT_EQ(order, (std::vector<int>{2, 1}));
    EXPECT_EQ(code_of([] { this_thread::yield_to(thread()); }), lazult::errc::invalid_handle);
}

TEST(migrate, continues_in_the_other_pool) {
    lazult::pool target(lazult::pool_kind::shared_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&target});
    std::atomic<int> rank{-2};
    std::atomic<bool> go{false};
    std::atomic<void*> moved{nullptr};
    thread t([&] {
        while (!go) {
            this_thread::yield();
        }
        this_thread::yield();
        rank = this_thread::stream_rank();
    });
    migrate(t, target, [&](thread::id id) { moved = id.native_handle(); });
    go = true;
    const void* self = t.get_id().native_handle();
    t.join();
    EXPECT_EQ(rank, stream.rank());
    EXPECT_EQ(moved, self);
}

TEST(this_thread, priorities) {
    thread t(lazult::thread_attributes{.priority = 3}, [] {
        EXPECT_EQ(this_thread::priority(), 3);
        this_thread::set_priority(5);
        EXPECT_EQ(this_thread::priority(), 5);
        EXPECT_EQ(code_of([] { this_thread::set_priority(9); }), lazult::errc::invalid_argument);
    });
    t.join();
    std::thread([] {
        EXPECT_EQ(code_of([] { this_thread::set_priority(1); }), lazult::errc::not_supported);
    }).join();
}

TEST(this_thread, technique_used) {
    using lazult::technique;
    lazult::pool pool(lazult::pool_kind::shared_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    for (const technique how :
         {technique::full, technique::lazy_stack, technique::return_on_completion,
          technique::stack_separation, technique::scheduler_creation}) {
        technique used{};
        thread t(lazult::thread_attributes{.how = how, .where = &pool},
                 [&] { used = this_thread::technique_used(); });
        while (!t.finished()) {
            this_thread::yield();
        }
        t.join();
        EXPECT_EQ(used, how);
    }
}

// Functions that do not suspend find the ULT's own errno (docs/thread-locals.md; errno_test.cpp has
// ordinary code). The ULTs of an OS thread take turns at its one errno, which ThreadSanitizer would
// call a race.
#define ERRNO_USER __attribute__((noinline, no_sanitize("thread")))
ERRNO_USER void set_errno(int value) { errno = value; }
ERRNO_USER int read_errno() { return errno; }

TEST(this_thread, errno_is_the_threads_own) {
    std::vector<thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 1; i < 50; ++i) {
        threads.emplace_back([&wrong, i] {
            set_errno(i);
            for (int n = 0; n < 5; ++n) {
                this_thread::yield();
                wrong += read_errno() != i;
            }
        });
    }
    lazult::join_many(threads);
    EXPECT_EQ(wrong, 0);
}

}  // namespace
