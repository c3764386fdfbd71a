// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <lazult/eventual.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>

#include "tests/support/code_of.hpp"

namespace {

using namespace std::chrono_literals;
using lazult::thread;

using lazult::support::code_of;

TEST(async, returns_values) {
    EXPECT_EQ(lazult::async([] { return 42; }).get(), 42);
    EXPECT_EQ(
        lazult::async([](int a, const std::string& b) { return a + static_cast<int>(b.size()); }, 1,
                      "four")
            .get(),
        5);
    EXPECT_EQ(
        *lazult::async([](std::unique_ptr<int> p) { return p; }, std::make_unique<int>(3)).get(),
        3);
    int n = 0;
    int& same = lazult::async([&n]() -> int& { return n; }).get();
    EXPECT_EQ(&same, &n);
    lazult::async([&n] { n = 1; }).get();
    EXPECT_EQ(n, 1);
}

TEST(async, rethrows) {
    auto f = lazult::async([]() -> int {
        lazult::this_thread::yield();
        throw std::runtime_error("no value");
    });
    EXPECT_THROW(f.get(), std::runtime_error);
    EXPECT_FALSE(f.valid());
}

TEST(async, with_attributes) {
    const lazult::thread_attributes how{
        .how = lazult::technique::full, .stack_size = 1 << 20, .child_first = true};
    EXPECT_EQ(lazult::async(how, [](int n) { return n + 1; }, 1).get(), 2);
    EXPECT_EQ(code_of([] { (void)lazult::async(lazult::thread_attributes{.name = "x"}, [] {}); }),
              lazult::errc::invalid_argument);
}

TEST(async, thousands) {
    std::vector<lazult::future<int>> futures;
    for (int i = 0; i < 3000; ++i) {
        futures.push_back(lazult::async([i] { return i; }));
    }
    long sum = 0;
    for (auto& f : futures) {
        sum += f.get();
    }
    EXPECT_EQ(sum, 3000L * 2999 / 2);
}

TEST(async, its_future_may_go_first) {
    std::atomic<int> ran{0};
    for (int i = 0; i < 20; ++i) {
        (void)lazult::async([&ran] { ++ran; });
    }
    while (ran != 20) {
        lazult::this_thread::yield();
    }
}

TEST(async, exit_breaks_the_promise) {
    auto f = lazult::async([] { lazult::this_thread::exit(); });
    EXPECT_THROW(f.get(), std::future_error);
}

TEST(promise, across_threads) {
    lazult::promise<std::string> p;
    lazult::future<std::string> f = p.get_future();
    EXPECT_FALSE(f.is_ready());
    EXPECT_EQ(f.wait_for(2ms), std::future_status::timeout);
    lazult::tasklet t([&] { p.set_value("set by a tasklet"); });
    EXPECT_EQ(f.get(), "set by a tasklet");
    t.join();
}

TEST(promise, misuse_is_as_in_the_standard) {
    lazult::promise<int> p;
    auto f = p.get_future();
    EXPECT_THROW(p.get_future(), std::future_error);
    p.set_value(1);
    EXPECT_THROW(p.set_value(2), std::future_error);
    EXPECT_EQ(f.get(), 1);
    EXPECT_THROW(f.get(), std::future_error);
    EXPECT_THROW(lazult::future<int>().wait(), std::future_error);
}

TEST(promise, broken) {
    lazult::future<int> f;
    {
        lazult::promise<int> p;
        f = p.get_future();
    }
    EXPECT_THROW(f.get(), std::future_error);
}

TEST(promise, exceptions_and_void) {
    lazult::promise<void> p;
    auto f = p.get_future();
    p.set_exception(std::make_exception_ptr(7));
    EXPECT_THROW(f.get(), int);
}

TEST(shared_future, many_wait_for_one) {
    lazult::promise<int> p;
    const lazult::shared_future<int> shared = p.get_future().share();
    std::atomic<int> sum{0};
    std::vector<thread> threads;
    for (int i = 0; i < 10; ++i) {
        threads.emplace_back([&sum, shared] { sum += shared.get(); });
    }
    std::thread outside([&sum, shared] { sum += shared.get(); });
    lazult::this_thread::yield();
    p.set_value(3);
    lazult::join_many(threads);
    outside.join();
    EXPECT_EQ(sum, 33);
}

TEST(future, in_a_tasklet) {
    lazult::promise<int> p;
    auto f = p.get_future();
    lazult::errc code{};
    lazult::tasklet([&] { code = code_of([&] { f.wait(); }); }).join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
}

TEST(eventual, set_wait_reset) {
    lazult::eventual<std::string> e;
    for (int round = 0; round < 5; ++round) {
        EXPECT_FALSE(e.is_set());
        EXPECT_EQ(e.wait_for(1ms), nullptr);
        thread t([&] { e.set(std::to_string(round)); });
        EXPECT_EQ(e.wait(), std::to_string(round));
        EXPECT_EQ(code_of([&] { e.set("again"); }), lazult::errc::busy);
        EXPECT_NE(e.wait_until(std::chrono::steady_clock::now() + 1h), nullptr);
        t.join();
        e.reset();
    }
}

TEST(compartments, ready_when_all_are_set) {
    int called = 0;
    lazult::compartments<int> c(10, [&](std::span<int> values) {
        called += std::accumulate(values.begin(), values.end(), 0);
    });
    EXPECT_EQ(c.size(), 10U);
    for (int round = 1; round <= 3; ++round) {
        std::vector<thread> threads;
        for (int i = 0; i < 9; ++i) {
            threads.emplace_back([&c, i] { c.set(i); });
        }
        lazult::join_many(threads);
        EXPECT_FALSE(c.is_ready());
        EXPECT_FALSE(c.wait_for(1ms));
        lazult::tasklet last([&c] { c.set(100); });
        const auto values = c.wait();
        EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 136);
        EXPECT_EQ(called, 136 * round);
        last.join();
        EXPECT_EQ(code_of([&] { c.set(1); }), lazult::errc::busy);
        c.reset();
    }
    lazult::compartments<int> none(0);
    EXPECT_TRUE(none.is_ready());
}

}  // namespace
