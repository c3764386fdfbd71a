// SPDX-License-Identifier: BSD-3-Clause
// Each wait has a form that a stop request ends, in ULTs and on OS threads outside.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace this_thread = lazult::this_thread;
using lazult::thread;

constexpr auto long_time = 60s;
constexpr auto patience = 5s;

struct objects {
    lazult::counting_semaphore<> none{0};
    lazult::latch closed{1};
    lazult::barrier two{2};
    lazult::channel<int> empty{1};
    lazult::channel<int> filled{1};
    lazult::eventual<int> later;
    lazult::promise<int> promised;
    lazult::future<int> future = promised.get_future();
    lazult::compartments<int> parts{1};
    std::atomic<bool> end{false};
    thread endless{[this] {
        while (!end) {
            this_thread::sleep_for(1ms);
        }
    }};
    std::optional<int> received;

    objects() { filled.try_send(7); }
    ~objects() { end = true; }
};

// Waits until the token says no, and returns what the wait did: true, that what was waited for
// came.
struct stoppable {
    const char* name;
    bool needs_ult;
    std::function<bool(objects&, std::stop_token)> wait;
};

const std::vector<stoppable> forms = {
    {"sleep_for", false,
     [](objects&, std::stop_token stop) { return this_thread::sleep_for(stop, long_time); }},
    {"sleep_until", false,
     [](objects&, std::stop_token stop) {
         return this_thread::sleep_until(stop, std::chrono::steady_clock::now() + long_time);
     }},
    {"suspend", true, [](objects&, std::stop_token stop) { return this_thread::suspend(stop); }},
    {"semaphore", false, [](objects& all, std::stop_token stop) { return all.none.acquire(stop); }},
    {"semaphore with a deadline", false,
     [](objects& all, std::stop_token stop) { return all.none.try_acquire_for(stop, long_time); }},
    {"latch", false, [](objects& all, std::stop_token stop) { return all.closed.wait(stop); }},
    {"barrier", false,
     [](objects& all, std::stop_token stop) { return all.two.arrive_and_wait(stop); }},
    {"receive", false,
     [](objects& all, std::stop_token stop) { return all.empty.receive(stop).has_value(); }},
    {"send", false,
     [](objects& all, std::stop_token stop) {
         int value = 8;
         return all.filled.send(stop, value);
     }},
    {"eventual", false,
     [](objects& all, std::stop_token stop) { return all.later.wait(stop) != nullptr; }},
    {"future", false, [](objects& all, std::stop_token stop) { return all.future.wait(stop); }},
    {"compartments", false,
     [](objects& all, std::stop_token stop) { return all.parts.wait(stop); }},
    {"thread", false, [](objects& all, std::stop_token stop) { return all.endless.wait(stop); }},
    {"join_many", false,
     [](objects& all, std::stop_token stop) {
         return join_many(std::span(&all.endless, 1), stop);
     }},
    {"task_group", false,
     [](objects&, std::stop_token stop) {
         lazult::latch open(1);
         lazult::task_group tasks;
         for (int i = 0; i < 3; ++i) {
             tasks.run([&] { open.wait(); });
         }
         const bool have_ended = tasks.wait(stop);
         open.count_down();
         tasks.wait();
         return have_ended;
     }},
    {"wait_any", false,
     [](objects& all, std::stop_token stop) {
         return wait_any(stop, all.later, all.none, receive_from(all.empty, all.received))
             .has_value();
     }},
};

template <class Thread>
void expect_ended_by_stop(objects& all, const stoppable& each, std::chrono::milliseconds delay) {
    SCOPED_TRACE(each.name);
    std::stop_source source;
    std::atomic<bool> began{false};
    std::atomic<int> outcome{-1};
    if (delay < 0ms) {
        source.request_stop();
    }
    Thread waiting([&] {
        began = true;
        outcome = each.wait(all, source.get_token()) ? 1 : 0;
    });
    while (delay >= 0ms && !began) {
        this_thread::yield();
    }
    this_thread::sleep_for(delay);
    source.request_stop();
    const auto end = std::chrono::steady_clock::now() + patience;
    while (outcome < 0 && std::chrono::steady_clock::now() < end) {
        this_thread::sleep_for(100us);
    }
    ASSERT_EQ(outcome, 0);
    waiting.join();
}

TEST(stop_token, ends_each_wait_of_a_thread) {
    objects all;
    for (const stoppable& each : forms) {
        for (const auto delay : {-1ms, 0ms, 2ms}) {
            expect_ended_by_stop<thread>(all, each, delay);
        }
    }
}

TEST(stop_token, ends_each_wait_of_an_os_thread) {
    objects all;
    for (const stoppable& each : forms) {
        for (const auto delay : {-1ms, 2ms}) {
            if (!each.needs_ult) {
                expect_ended_by_stop<std::thread>(all, each, delay);
            }
        }
    }
}

TEST(stop_token, leaves_what_comes_in_time) {
    std::stop_source source;
    lazult::counting_semaphore<> s(1);
    EXPECT_TRUE(s.acquire(source.get_token()));
    lazult::latch l(1);
    EXPECT_TRUE(l.arrive_and_wait(source.get_token()));
    lazult::channel<int> c(1);
    int value = 3;
    EXPECT_TRUE(c.send(source.get_token(), value));
    EXPECT_EQ(c.receive(source.get_token()), 3);
    lazult::eventual<int> e;
    thread setter([&] { e.set(5); });
    int* const set = e.wait(source.get_token());
    ASSERT_NE(set, nullptr);
    EXPECT_EQ(*set, 5);
    EXPECT_TRUE(setter.wait(source.get_token()));
    EXPECT_TRUE(this_thread::sleep_for(source.get_token(), 1ms));
    lazult::barrier b(2);
    thread other([&] { EXPECT_TRUE(b.arrive_and_wait(source.get_token())); });
    EXPECT_TRUE(b.arrive_and_wait(source.get_token()));
    other.join();
    thread sleeper([&] { EXPECT_TRUE(this_thread::suspend(source.get_token())); });
    resume(sleeper);
    sleeper.join();
}

TEST(stop_token, a_stopped_thread_has_not_arrived_at_a_barrier) {
    lazult::barrier b(2);
    std::stop_source source;
    thread stopped([&] { EXPECT_FALSE(b.arrive_and_wait(source.get_token())); });
    this_thread::sleep_for(2ms);
    source.request_stop();
    stopped.join();
    std::atomic<bool> passed{false};
    thread alone([&] {
        b.arrive_and_wait();
        passed = true;
    });
    this_thread::sleep_for(5ms);
    EXPECT_FALSE(passed);
    b.arrive_and_wait();
    alone.join();
}

// Stop requests, releases and deadlines meet: each token is taken by a wait that says so, or is
// there.
TEST(stop_token_stress, loses_no_token) {
    for (int round = 0; round < 30; ++round) {
        lazult::counting_semaphore<> s(0);
        std::vector<std::stop_source> sources(12);
        std::atomic<int> taken{0};
        std::vector<thread> all;
        std::vector<std::thread> outside;
        for (std::size_t i = 0; i < 12; ++i) {
            const auto body = [&, i] {
                while (i % 3 == 0 ? s.try_acquire_for(sources[i].get_token(), long_time)
                                  : s.acquire(sources[i].get_token())) {
                    ++taken;
                }
            };
            if (i < 9) {
                all.emplace_back(body);
            } else {
                outside.emplace_back(body);
            }
        }
        for (std::size_t i = 0; i < 12; ++i) {
            s.release(2);
            this_thread::yield();
            sources[(i * 5) % 12].request_stop();
        }
        lazult::join_many(all);
        for (std::thread& t : outside) {
            t.join();
        }
        int left = 0;
        while (s.try_acquire()) {
            ++left;
        }
        ASSERT_EQ(taken + left, 24) << "round " << round;
    }
}

// A stop and a cancellation of the same wait.
TEST(stop_token_stress, meets_a_cancellation) {
    for (int round = 0; round < 100; ++round) {
        lazult::counting_semaphore<> s(0);
        std::stop_source source;
        thread t([&] {
            s.acquire(source.get_token());
            this_thread::sleep_for(long_time);
        });
        this_thread::sleep_for(std::chrono::microseconds(round % 40));
        std::thread stopper([&] { source.request_stop(); });
        cancel(t);
        EXPECT_TRUE(t.wait_for(patience));
        stopper.join();
        t.join();
    }
}

}  // namespace
