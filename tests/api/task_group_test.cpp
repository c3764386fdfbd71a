// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/task_group.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <lazult/statistics.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>

#include "tests/support/code_of.hpp"

namespace {

using lazult::task_group;
using lazult::technique;

using lazult::support::code_of;

TEST(task_group, runs_all) {
    for (const int count : {0, 1, 3, 4, 5, 63, 64, 65, 300, 5000}) {
        std::atomic<int> sum{0};
        task_group group;
        for (int i = 0; i < count; ++i) {
            group.run([&sum, i] { sum += i; });
        }
        group.wait();
        EXPECT_EQ(sum, count * (count - 1) / 2);
    }
}

TEST(task_group, is_used_again) {
    std::atomic<int> sum{0};
    task_group group;
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 10; ++i) {
            group.run([&sum] { ++sum; });
        }
        group.wait();
        EXPECT_EQ(sum, 10 * (round + 1));
    }
}

TEST(task_group, large_and_owning_callables) {
    const auto shared = std::make_shared<int>(1);
    std::atomic<int> sum{0};
    task_group group;
    for (int i = 0; i < 200; ++i) {
        group.run([&sum, shared, text = std::string(200, 'x'), filling = std::array<long, 20>{}] {
            sum += static_cast<int>(text.size()) + static_cast<int>(filling[3]);
        });
    }
    group.wait();
    EXPECT_EQ(sum, 40000);
    EXPECT_EQ(shared.use_count(), 1);
}

int fib(int n) {
    if (n < 2) {
        return n;
    }
    int a = 0;
    task_group group;
    group.run([&a, n] { a = fib(n - 1); });
    const int b = fib(n - 2);
    group.wait();
    return a + b;
}

TEST(task_group, nests) { EXPECT_EQ(fib(16), 987); }

TEST(task_group, tasks_add_tasks) {
    std::atomic<int> ran{0};
    task_group group;
    struct adder {
        task_group& group;
        std::atomic<int>& ran;
        void add(int depth) const {
            ++ran;
            if (depth > 0) {
                group.run([this, depth] { add(depth - 1); });
                group.run([this, depth] { add(depth - 1); });
            }
        }
    };
    const adder a{group, ran};
    group.run([&a] { a.add(9); });
    group.wait();
    EXPECT_EQ(ran, 1023);
}

TEST(task_group, tasks_wait_and_yield) {
    std::atomic<int> sum{0};
    task_group group;
    for (int i = 0; i < 100; ++i) {
        group.run([&sum] {
            lazult::this_thread::yield();
            task_group inner;
            for (int n = 0; n < 10; ++n) {
                inner.run([&sum] {
                    lazult::this_thread::yield();
                    ++sum;
                });
            }
            inner.wait();
        });
    }
    group.wait();
    EXPECT_EQ(sum, 1000);
}

TEST(task_group, rethrows_and_skips_the_rest) {
    task_group group;
    std::atomic<int> ran{0};
    group.run([] { throw std::runtime_error("from a task"); });
    for (int i = 0; i < 100; ++i) {
        group.run([&ran] { ++ran; });
    }
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_LE(ran, 100);
    EXPECT_FALSE(group.is_canceled());
    group.run([&ran] { ran = -1; });
    group.wait();
    EXPECT_EQ(ran, -1);
}

TEST(task_group, one_of_many_exceptions) {
    for (int round = 0; round < 20; ++round) {
        task_group group;
        for (int i = 0; i < 20; ++i) {
            group.run([i] {
                lazult::this_thread::yield();
                throw i;
            });
        }
        EXPECT_THROW(group.wait(), int);
    }
}

TEST(task_group, cancel_skips_what_has_not_started) {
    task_group group(lazult::thread_attributes{.how = technique::full});
    std::atomic<int> ran{0};
    const auto shared = std::make_shared<int>(0);
    group.cancel();
    for (int i = 0; i < 10; ++i) {
        group.run([&ran, shared] { ++ran; });
    }
    EXPECT_TRUE(group.is_canceled());
    group.wait();
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(shared.use_count(), 1);
    EXPECT_FALSE(group.is_canceled());
}

TEST(task_group, cancel_sets_the_tasks_stop_token) {
    task_group group;
    std::atomic<bool> called{false};
    std::atomic<int> running{0};
    group.run([&] {
        const std::stop_token stop = lazult::this_thread::get_stop_token();
        const std::stop_callback on_stop(stop, [&] { called = true; });
        ++running;
        while (!stop.stop_requested()) {
            lazult::this_thread::yield();
        }
    });
    group.run([&] {
        ++running;
        while (!lazult::this_thread::stop_requested()) {
            lazult::this_thread::yield();
        }
    });
    while (running != 2) {
        lazult::this_thread::yield();
    }
    group.cancel();
    group.wait();
    EXPECT_TRUE(called);
}

TEST(task_group, destructor_cancels_and_waits) {
    std::atomic<int> ended{0};
    try {
        task_group group;
        for (int i = 0; i < 10; ++i) {
            group.run([&ended] {
                lazult::this_thread::yield();
                ++ended;
                throw 1;
            });
        }
        throw std::runtime_error("passes");
    } catch (const std::runtime_error&) {
    }
    const int then = ended;
    for (int i = 0; i < 100; ++i) {
        lazult::this_thread::yield();
    }
    EXPECT_EQ(ended, then);
}

class group_of : public testing::TestWithParam<technique> {};

TEST_P(group_of, runs_all) {
    std::atomic<int> sum{0};
    lazult::thread([&, how = GetParam()] {
        task_group group(lazult::thread_attributes{.how = how});
        for (int i = 0; i < 500; ++i) {
            group.run([&sum] { ++sum; });
        }
        group.wait();
    }).join();
    EXPECT_EQ(sum, 500);
}

INSTANTIATE_TEST_SUITE_P(task_group, group_of,
                         testing::Values(technique::full, technique::lazy_stack,
                                         technique::return_on_completion,
                                         technique::stack_separation, technique::scheduler_creation,
                                         technique::run_to_completion, technique::adaptive),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST(task_group, from_outside_os_threads) {
    std::vector<std::thread> threads;
    std::atomic<int> sum{0};
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            task_group group;
            for (int i = 0; i < 500; ++i) {
                group.run([&sum] { ++sum; });
            }
            group.wait();
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(sum, 1500);
}

TEST(task_group, attributes_for_single_threads_only) {
    EXPECT_EQ(code_of([] { task_group(lazult::thread_attributes{.name = "x"}); }),
              lazult::errc::invalid_argument);
    EXPECT_EQ(code_of([] { task_group(lazult::thread_attributes{.priority = 99}); }),
              lazult::errc::invalid_argument);
}

TEST(statistics, counts_what_happens) {
    lazult::thread([] {}).join();
    const auto before = lazult::statistics();
    task_group group(lazult::thread_attributes{.how = technique::lazy_stack});
    for (int i = 0; i < 50; ++i) {
        group.run([] { lazult::this_thread::yield(); });
    }
    group.wait();
    lazult::thread(lazult::thread_attributes{.how = technique::return_on_completion}, [] {
        lazult::this_thread::sleep_for(std::chrono::milliseconds(1));
    }).join();
    const auto after = lazult::statistics();
    EXPECT_EQ(after.created - before.created, 51U);
    EXPECT_GE(after.suspensions - before.suspensions, 1U);
    EXPECT_EQ(after.promoted_by_technique[technique::return_on_completion] -
                  before.promoted_by_technique[technique::return_on_completion],
              1U);
    EXPECT_GE(after.promoted, after.promoted_by_technique[technique::return_on_completion]);
    EXPECT_GE(after.stacks_made, after.stacks_in_use);
    EXPECT_GT(after.stacks_made, 0U);
}

TEST(statistics, of_each_stream_add_up) {
    lazult::thread([] { lazult::this_thread::yield(); }).join();
    const auto before = lazult::statistics();
    std::uint64_t created = 0;
    bool has_stream = false;  // whichever ran it, for it may have been stolen
    for (const lazult::stream_statistics& each : lazult::statistics_by_stream()) {
        created += each.counts.created;
        has_stream |= each.stream >= 0 && each.counts.created > 0;
    }
    EXPECT_TRUE(has_stream);
    EXPECT_GE(created, before.created);
    EXPECT_LE(created, lazult::statistics().created);
}

}  // namespace
