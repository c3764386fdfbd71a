// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/thread.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include <lazult/error.hpp>
#include <lazult/this_thread.hpp>

#include "tests/support/code_of.hpp"

namespace {

using lazult::technique;
using lazult::thread;
using lazult::thread_attributes;

using lazult::support::code_of;

TEST(thread, runs_and_joins) {
    int answer = 0;
    thread t([&] { answer = 42; });
    EXPECT_TRUE(t.joinable());
    t.join();
    EXPECT_EQ(answer, 42);
    EXPECT_FALSE(t.joinable());
}

TEST(thread, takes_arguments_by_copy_and_moves_them_in) {
    auto owned = std::make_unique<int>(7);
    int seen = 0;
    std::string text = "before";
    thread t(
        [&seen](std::unique_ptr<int> p, const std::string& s, int& out) {
            seen = *p + (s == "before" ? 1 : 0);
            out = 1;
        },
        std::move(owned), text, std::ref(seen));
    text = "after";
    t.join();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(owned, nullptr);
}

struct adder {
    int sum = 0;
    void add(int n) { sum += n; }
};

void set_to_three(int* n) { *n = 3; }

TEST(thread, calls_functions_and_members) {
    adder a;
    thread(&adder::add, &a, 5).join();
    int n = 0;
    thread(set_to_three, &n).join();
    EXPECT_EQ(a.sum, 5);
    EXPECT_EQ(n, 3);
}

template <std::size_t bytes>
struct counted {
    inline static std::atomic<int> alive{0};
    std::array<char, bytes> filling{};
    std::atomic<int>* calls;

    explicit counted(std::atomic<int>* c) : calls(c) { ++alive; }
    counted(const counted& other) : filling(other.filling), calls(other.calls) { ++alive; }
    ~counted() { --alive; }
    void operator()() const { ++*calls; }
};

template <std::size_t bytes>
void callable_of_any_size() {
    std::atomic<int> calls{0};
    {
        const counted<bytes> callable(&calls);
        std::vector<thread> threads;
        for (int i = 0; i < 100; ++i) {
            threads.emplace_back(callable);
        }
    }
    EXPECT_EQ(calls, 100);
    EXPECT_EQ(counted<bytes>::alive, 0);
}

TEST(thread, callables_in_the_descriptor) { callable_of_any_size<8>(); }
TEST(thread, callables_in_a_block) { callable_of_any_size<40>(); }
TEST(thread, callables_in_large_blocks) { callable_of_any_size<400>(); }
TEST(thread, callables_beyond_blocks) { callable_of_any_size<4000>(); }

TEST(thread, a_callable_that_does_not_copy_leaves_nothing) {
    struct thrower {
        thrower() = default;
        thrower(const thrower&) { throw std::runtime_error("copy"); }
        void operator()() const {}
    };
    const thrower t;
    EXPECT_THROW(thread{t}, std::runtime_error);
}

TEST(thread, join_rethrows) {
    thread t([] { throw std::runtime_error("from the thread"); });
    try {
        t.join();
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "from the thread");
    }
    EXPECT_FALSE(t.joinable());
}

TEST(thread, an_exception_crosses_a_suspension) {
    thread t([] {
        try {
            throw 1;
        } catch (int) {
            lazult::this_thread::yield();
            throw;
        }
    });
    EXPECT_THROW(t.join(), int);
}

TEST(thread_death, uncollected_exception_ends_the_process) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(thread([] { throw std::runtime_error("lost"); }), "nobody joins");
}

TEST(thread_death, uncollected_exception_of_a_detached_thread_ends_the_process) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            thread([] { throw std::runtime_error("lost"); }).detach();
            std::this_thread::sleep_for(std::chrono::seconds(1));
            lazult::this_thread::sleep_for(std::chrono::seconds(9));
        },
        "nobody joins");
}

void throw_found() { throw std::runtime_error("found"); }

// The report says which thread, where it began, and what was thrown; then the usual handler has its
// say.
TEST(thread_death, uncaught_exceptions_name_their_thread) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const lazult::thread_attributes named{.name = "reader"};
    const char* whose = "lazult: ULT [0-9]+ \"reader\" \\([a-z_]+, entry .*\\): ";
    EXPECT_DEATH(
        thread(named, [] { throw std::runtime_error("lost"); }),
        std::string(whose) + "an exception left it, and nobody joins it: lost; join\\(\\) it");
    EXPECT_DEATH(
        thread(named, []() noexcept { throw_found(); }).join(),
        std::string(whose) + "an exception leaves it that nobody catches: found; catch it");
    EXPECT_DEATH(thread(named, [] { std::terminate(); }).join(),
                 std::string(whose) + "std::terminate\\(\\) is called in it");
}

TEST(thread_death, a_programs_own_terminate_handler_still_runs) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            std::set_terminate([] {
                std::fputs("my own handler\n", stderr);
                std::abort();
            });
            thread([] { std::terminate(); }).join();
        },
        "lazult: ULT [0-9]+ .*\n.*my own handler");
    EXPECT_DEATH(
        {
            thread([] {}).join();  // the runtime has started
            std::set_terminate([] {
                std::fputs("a later handler\n", stderr);
                std::abort();
            });
            thread([] { std::terminate(); }).join();
        },
        "^a later handler");
}

TEST(thread, gets_a_stop_token) {
    std::atomic<bool> stopped{false};
    {
        const thread t([&](std::stop_token stop) {
            while (!stop.stop_requested()) {
                lazult::this_thread::yield();
            }
            stopped = true;
        });
    }
    EXPECT_TRUE(stopped);
}

TEST(thread, stop_token_comes_before_the_arguments) {
    int seen = 0;
    thread t([&](std::stop_token stop, int n) { seen = stop.stop_possible() ? n : -1; }, 9);
    t.join();
    EXPECT_EQ(seen, 9);
}

TEST(thread, stop_request_before_anybody_asks) {
    std::atomic<bool> seen{false};
    thread t([&] {
        while (!lazult::this_thread::stop_requested()) {
            lazult::this_thread::yield();
        }
        seen = lazult::this_thread::get_stop_token().stop_requested();
    });
    EXPECT_TRUE(t.request_stop());
    EXPECT_FALSE(t.request_stop());
    t.join();
    EXPECT_TRUE(seen);
}

TEST(thread, stop_source_is_shared) {
    std::atomic<bool> called{false};
    thread t([&](std::stop_token stop) {
        const std::stop_callback on_stop(stop, [&] { called = true; });
        while (!stop.stop_requested()) {
            lazult::this_thread::yield();
        }
    });
    std::stop_source source = t.get_stop_source();
    EXPECT_EQ(source.get_token(), t.get_stop_token());
    EXPECT_TRUE(source.request_stop());
    t.join();
    EXPECT_TRUE(called);
    EXPECT_FALSE(t.get_stop_source().stop_possible());
}

TEST(thread, destructor_requests_a_stop_that_the_thread_sees) {
    std::atomic<bool> seen{false};
    {
        const thread t([&] {
            while (!lazult::this_thread::stop_requested()) {
                lazult::this_thread::yield();
            }
            seen = true;
        });
    }
    EXPECT_TRUE(seen);
}

TEST(thread, moves) {
    std::atomic<int> runs{0};
    thread a([&] { ++runs; });
    thread b(std::move(a));
    EXPECT_FALSE(a.joinable());
    EXPECT_TRUE(b.joinable());
    thread c([&] { ++runs; });
    c = std::move(b);  // joins the one that it held
    EXPECT_GE(runs, 1);
    c.join();
    EXPECT_EQ(runs, 2);
    thread d([&] { ++runs; });
    swap(c, d);
    EXPECT_TRUE(c.joinable());
    EXPECT_FALSE(d.joinable());
    static_assert(!std::is_copy_constructible_v<thread>);
}

TEST(thread, ids) {
    EXPECT_EQ(thread().get_id(), thread::id());
    thread::id inside;
    thread t([&] { inside = lazult::this_thread::get_id(); });
    const thread::id outside = t.get_id();
    t.join();
    EXPECT_EQ(inside, outside);
    EXPECT_NE(outside, lazult::this_thread::get_id());
    EXPECT_NE(outside, thread::id());
    std::ostringstream text;
    text << outside << ' ' << thread::id();
    EXPECT_NE(text.str().find("no thread"), std::string::npos);
    EXPECT_EQ((std::unordered_set<thread::id>{inside, outside}.size()), 1U);
}

TEST(thread, detached_threads_end_by_themselves) {
    std::atomic<int> ended{0};
    for (int i = 0; i < 50; ++i) {
        thread([&](std::stop_token) { ++ended; }).detach();
    }
    while (ended != 50) {
        lazult::this_thread::yield();
    }
}

TEST(thread, detach_after_the_end) {
    std::atomic<bool> ended{false};
    thread t([&] { ended = true; });
    while (!t.finished()) {
        lazult::this_thread::yield();
    }
    t.detach();
    EXPECT_TRUE(ended);
    EXPECT_FALSE(t.joinable());
}

TEST(thread, misuse_of_a_joined_thread) {
    thread t([] {});
    t.join();
    EXPECT_EQ(code_of([&] { t.join(); }), lazult::errc::invalid_handle);
    EXPECT_EQ(code_of([&] { t.detach(); }), lazult::errc::invalid_handle);
    EXPECT_EQ(code_of([&] { t.wait(); }), lazult::errc::invalid_handle);
    EXPECT_EQ(code_of([&] { t.revive([] {}); }), lazult::errc::invalid_handle);
    EXPECT_FALSE(t.request_stop());
    try {
        t.join();
    } catch (const lazult::error& e) {
        EXPECT_NE(std::string(e.what()).find("thread: it is not joinable"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("test joinable() first"), std::string::npos);
        EXPECT_EQ(e.code(), std::errc::invalid_argument);
        EXPECT_STREQ(e.code().category().name(), "lazult");
    }
}

TEST(thread, join_of_itself) {
    lazult::errc code{};
    std::unique_ptr<thread> t;
    std::atomic<bool> ready{false};
    t = std::make_unique<thread>([&] {
        while (!ready) {
            lazult::this_thread::yield();
        }
        code = code_of([&] { t->join(); });
    });
    ready = true;
    t->join();
    EXPECT_EQ(code, lazult::errc::would_deadlock);
}

TEST(thread, absurd_attributes) {
    EXPECT_EQ(code_of([] { thread(thread_attributes{.stack_size = 100}, [] {}); }),
              lazult::errc::invalid_argument);
    EXPECT_EQ(code_of([] { thread(thread_attributes{.stack_size = std::size_t{1} << 40}, [] {}); }),
              lazult::errc::invalid_argument);
    EXPECT_EQ(code_of([] { thread(thread_attributes{.priority = 8}, [] {}); }),
              lazult::errc::invalid_argument);
    EXPECT_EQ(code_of([] { thread(thread_attributes{.priority = -1}, [] {}); }),
              lazult::errc::invalid_argument);
    EXPECT_EQ(code_of([] { thread(thread_attributes{.how = static_cast<technique>(77)}, [] {}); }),
              lazult::errc::invalid_argument);
    std::array<std::byte, 100> tiny{};
    EXPECT_EQ(code_of([&] { thread(thread_attributes{.stack = tiny}, [] {}); }),
              lazult::errc::invalid_argument);
    try {
        thread(thread_attributes{.stack_size = 100}, [] {});
    } catch (const lazult::error& e) {
        EXPECT_STREQ(e.what(),
                     "lazult: thread: its attribute stack_size is 100; give 4 KiB to 1 GiB, or 0");
    }
}

TEST(thread, names) {
    std::string inside;
    thread t(thread_attributes{.name = "a very long name that does not fit in here"},
             [&] { inside = lazult::this_thread::name(); });
    EXPECT_EQ(t.name(), "a very long name that does not ");
    t.join();
    EXPECT_EQ(inside, "a very long name that does not ");
    EXPECT_EQ(thread().name(), "");
}

class every_technique : public testing::TestWithParam<technique> {};

TEST_P(every_technique, suspends_and_ends) {
    if (GetParam() == technique::run_to_completion) {
        GTEST_SKIP() << "it may not suspend";
    }
    std::atomic<int> sum{0};
    std::vector<thread> threads;
    for (int i = 0; i < 64; ++i) {
        threads.emplace_back(thread_attributes{.how = GetParam()}, [&sum, i] {
            if (i % 2 == 0) {
                lazult::this_thread::yield();
            }
            sum += i;
        });
    }
    lazult::join_many(threads);
    EXPECT_EQ(sum, 64 * 63 / 2);
}

TEST_P(every_technique, child_first) {
    std::atomic<int> sum{0};
    thread parent([&, how = GetParam()] {
        for (int i = 0; i < 16; ++i) {
            thread child(thread_attributes{.how = how, .child_first = true},
                         [&sum, i] { sum += i; });
            child.join();
        }
    });
    parent.join();
    EXPECT_EQ(sum, 120);
}

TEST_P(every_technique, join_rethrows) {
    thread t(thread_attributes{.how = GetParam()}, [] { throw 5; });
    EXPECT_THROW(t.join(), int);
}

TEST_P(every_technique, sized_stack) {
    int depth = 0;
    thread t(thread_attributes{.how = GetParam(), .stack_size = 256 << 10}, [&] {
        volatile char large[150 << 10];
        large[0] = 1;
        large[sizeof(large) - 1] = 1;
        depth = large[0] + large[sizeof(large) - 1];
    });
    t.join();
    EXPECT_EQ(depth, 2);
}

INSTANTIATE_TEST_SUITE_P(thread, every_technique,
                         testing::Values(technique::full, technique::lazy_stack,
                                         technique::return_on_completion,
                                         technique::stack_separation, technique::scheduler_creation,
                                         technique::run_to_completion, technique::adaptive,
                                         technique::configured),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(thread, stack_of_the_users) {
    std::vector<std::byte> memory(64 << 10);
    const std::byte* low = memory.data();
    bool inside = false;
    thread t(thread_attributes{.stack = memory}, [&] {
        const auto* here = static_cast<const std::byte*>(__builtin_frame_address(0));
        inside = here >= low && here < low + (64 << 10);
        lazult::this_thread::yield();
    });
    t.join();
    EXPECT_TRUE(inside);
}

TEST(thread, wait_and_revive) {
    std::atomic<int> sum{0};
    thread t([&] { sum += 1; });
    t.wait();
    EXPECT_TRUE(t.joinable());
    EXPECT_TRUE(t.finished());
    const thread::id id = t.get_id();
    for (int i = 0; i < 10; ++i) {
        t.revive([&, text = std::string(100, 'x')] {
            lazult::this_thread::yield();
            sum += static_cast<int>(text.size());
        });
        t.wait();
    }
    EXPECT_EQ(t.get_id(), id);
    t.join();
    EXPECT_EQ(sum, 1001);
}

TEST(thread, revive_of_a_running_thread) {
    std::atomic<bool> go{false};
    thread t([&] {
        while (!go) {
            lazult::this_thread::yield();
        }
    });
    EXPECT_EQ(code_of([&] { t.revive([] {}); }), lazult::errc::busy);
    go = true;
    t.join();
}

TEST(thread, revived_threads_have_a_new_stop_state) {
    thread t([](std::stop_token) {});
    t.request_stop();
    t.wait();
    bool stopped = true;
    t.revive([&] { stopped = lazult::this_thread::stop_requested(); });
    t.join();
    EXPECT_FALSE(stopped);
}

TEST(thread, timed_wait) {
    std::atomic<bool> go{false};
    thread t([&] {
        while (!go) {
            lazult::this_thread::yield();
        }
    });
    EXPECT_FALSE(t.wait_for(std::chrono::milliseconds(5)));
    EXPECT_TRUE(t.joinable());
    go = true;
    EXPECT_TRUE(t.wait_for(std::chrono::hours(1)));
    t.join();
}

TEST(join_many, joins_all_and_rethrows_the_first) {
    std::vector<thread> threads;
    std::atomic<int> ended{0};
    for (int i = 0; i < 20; ++i) {
        threads.emplace_back([&ended, i] {
            ++ended;
            if (i == 7 || i == 9) {
                throw i;
            }
        });
    }
    try {
        lazult::join_many(threads);
        FAIL();
    } catch (int i) {
        EXPECT_EQ(i, 7);
    }
    EXPECT_EQ(ended, 20);
    for (const thread& t : threads) {
        EXPECT_FALSE(t.joinable());
    }
}

TEST(join_many, refuses_all_when_one_is_gone) {
    std::vector<thread> threads(2);
    threads[0] = thread([] {});
    EXPECT_EQ(code_of([&] { lazult::join_many(threads); }), lazult::errc::invalid_handle);
    EXPECT_TRUE(threads[0].joinable());
}

TEST(thread, from_and_to_outside_os_threads) {
    std::atomic<int> sum{0};
    std::vector<std::thread> outside;
    for (int i = 0; i < 3; ++i) {
        outside.emplace_back([&] {
            std::vector<thread> threads;
            for (int n = 0; n < 100; ++n) {
                threads.emplace_back([&sum] {
                    lazult::this_thread::yield();
                    ++sum;
                });
            }
            for (thread& t : threads) {
                t.join();
            }
        });
    }
    for (std::thread& t : outside) {
        t.join();
    }
    EXPECT_EQ(sum, 300);
}

TEST(thread, many) {
    std::atomic<int> sum{0};
    for (int round = 0; round < 10; ++round) {
        std::vector<thread> threads;
        for (int i = 0; i < 2000; ++i) {
            threads.emplace_back([&sum, i] { sum += i & 1; });
        }
    }
    EXPECT_EQ(sum, 10000);
}

TEST(thread, hardware_concurrency) { EXPECT_GE(thread::hardware_concurrency(), 1U); }

}  // namespace
