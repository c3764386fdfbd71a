// SPDX-License-Identifier: BSD-3-Clause
// Fine grains: where enough units are ready, tasks of a group start at once.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "lazult/core/core.hpp"
#include "lazult/probe/probe.hpp"
#include "tests/support/code_of.hpp"
#include "tests/support/steps.hpp"

namespace {

using lazult::task_group;
using lazult::technique;
using lazult::support::code_of;
using namespace std::chrono_literals;

constexpr int enough = 3;

template <int streams>
class tasks : public testing::Test {
    const lazult::runtime running_{lazult::options{.streams = streams, .ready_tasks = enough}};
};
using tasks_on_one_stream = tasks<1>;
using tasks_on_two_streams = tasks<2>;

// Some that do nothing, until the next one starts at once.
void fill(task_group& group) {
    for (int i = 0; i < enough; ++i) {
        group.run([] {});
    }
}

TEST_F(tasks_on_one_stream, start_at_once_where_enough_are_ready) {
    lazult::support::steps order;
    task_group group;
    for (int i = 0; i < enough + 2; ++i) {
        group.run([&order, i] { order.add(i); });
        EXPECT_EQ(order.count(), i < enough ? 0U : static_cast<unsigned>(i - enough + 1));
    }
    EXPECT_EQ(order.all(), (std::vector{enough, enough + 1}));
    group.wait();
    EXPECT_EQ(order.count(), enough + 2U);
}

// A group keeps the unit of a task that has ended for the next one, until it is waited for or
// destroyed.
TEST_F(tasks_on_one_stream, leave_no_unit_behind) {
    const std::size_t before = lazult::core::live_units();
    {
        task_group group;
        for (int round = 0; round < 2; ++round) {
            fill(group);
            group.run([] {});
            group.run([] {});
            EXPECT_GT(lazult::core::live_units(), before);
            group.wait();
            EXPECT_EQ(lazult::core::live_units(), before) << "after a wait";
        }
        task_group inner;
        fill(group);
        inner.run([] {});
        group.wait();
    }
    EXPECT_EQ(lazult::core::live_units(), before)
        << "after the end of a group that nobody waited for";
}

// The next task may have its descriptor, but not what was meant for the one before.
TEST_F(tasks_on_one_stream, do_not_inherit_a_resumption) {
    lazult::thread_id last;
    bool is_resumed = false;
    task_group filled;
    fill(filled);
    task_group group;
    const auto body = [&](bool suspends) {
        last = lazult::this_thread::get_id();
        if (suspends) {
            lazult::this_thread::suspend();
            is_resumed = true;
        }
    };
    for (int i = 0; i < 5; ++i) {
        const bool suspends = i == 4;
        if (suspends) {
            EXPECT_EQ(code_of([&] { lazult::resume(last); }), lazult::errc::freed_handle);
        }
        group.run([&body, suspends] { body(suspends); });
    }
    EXPECT_FALSE(is_resumed);
    lazult::resume(last);
    group.wait();
    EXPECT_TRUE(is_resumed);
    filled.wait();
}

TEST_F(tasks_on_one_stream, start_at_once_with_large_callables_and_from_other_tasks) {
    std::atomic<int> done{0};
    task_group group;
    group.run([&] {
        fill(group);
        const std::string text(100, 'x');
        group.run([&done, text] { done += static_cast<int>(text.size()); });
        EXPECT_EQ(done, 100);
    });
    group.wait();
    EXPECT_EQ(done, 100);
}

// Counts its objects. Larger than a unit's room for a callable.
class counted_callable {
public:
    explicit counted_callable(std::atomic<int>& alive, int value) : alive_(&alive) {
        for (int& each : values_) {
            each = value;
        }
        ++*alive_;
    }
    counted_callable(counted_callable&& from) noexcept : alive_(from.alive_) {
        std::copy(std::begin(from.values_), std::end(from.values_), std::begin(values_));
        std::fill(std::begin(from.values_), std::end(from.values_), -1);
        ++*alive_;
    }
    counted_callable(const counted_callable&) = delete;
    counted_callable& operator=(const counted_callable&) = delete;
    ~counted_callable() { --*alive_; }

    int sum() const { return std::accumulate(std::begin(values_), std::end(values_), 0); }
    static constexpr int count = 20;

private:
    std::atomic<int>* alive_;
    int values_[count];
};

// The callable of a task that waits is the task's own: what run() had in its frame is gone then.
TEST_F(tasks_on_one_stream, keep_large_callables_when_they_wait) {
    constexpr int many = 50;
    std::atomic<int> alive{0};
    int sum = 0;
    lazult::mutex held;
    task_group group;
    {
        const std::scoped_lock hold(held);
        for (int i = 0; i < many; ++i) {
            group.run([&sum, &held, i, own = counted_callable(alive, i)] {
                EXPECT_EQ(own.sum(), counted_callable::count * i);
                const std::scoped_lock here(held);
                sum += own.sum();
            });
        }
        EXPECT_EQ(sum, 0);
        EXPECT_EQ(alive, many);
    }
    group.wait();
    EXPECT_EQ(sum, counted_callable::count * many * (many - 1) / 2);
    EXPECT_EQ(alive, 0);
}

TEST_F(tasks_on_one_stream, destroy_large_callables_once) {
    constexpr int many = 50;
    std::atomic<int> alive{0};
    int runs = 0;
    task_group group;
    for (int i = 0; i < many; ++i) {
        group.run([&runs, i, own = counted_callable(alive, i)] {
            EXPECT_EQ(own.sum(), counted_callable::count * i);
            ++runs;
        });
        EXPECT_EQ(alive, std::min(i + 1, enough)) << "a task that has ended keeps nothing";
    }
    group.wait();
    EXPECT_EQ(runs, many);
    EXPECT_EQ(alive, 0);
    fill(group);
    group.run([own = counted_callable(alive, 1)] { throw std::runtime_error("thrown"); });
    group.run([&runs, own = counted_callable(alive, 1)] { ++runs; });
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_EQ(runs, many) << "the group was cancelled before this one began";
    EXPECT_EQ(alive, 0);
}

// Such a callable stays out of the frames of its creator and of its task.
TEST(tasks_with_small_stacks, start_at_once_with_callables_larger_than_their_stack) {
    const lazult::runtime running(lazult::options{.streams = 1, .ready_tasks = enough});
    constexpr std::size_t stack = 16 * 1024;
    std::array<char, 2 * stack> large{};
    large.fill(1);
    int sum = 0;
    lazult::thread creator(lazult::thread_attributes{.stack_size = 8 * stack}, [&] {
        task_group group(lazult::thread_attributes{.stack_size = stack});
        for (int i = 0; i < 2 * enough; ++i) {
            group.run([large, &sum] { sum += std::accumulate(large.begin(), large.end(), 0); });
        }
        group.wait();
    });
    creator.join();
    EXPECT_EQ(sum, 2 * enough * static_cast<int>(large.size()));
}

// A trace shows each task's beginning, so the task has to wait for its turn.
TEST(tasks_that_are_traced, start_later) {
    const std::string file =
        testing::TempDir() + "tasks_that_are_traced." + std::to_string(::getpid());
    ::setenv("LAZULT_TRACE", file.c_str(), 1);
    ::setenv("LAZULT_TRACE_EVERY", "1", 1);
    {
        const lazult::runtime running(lazult::options{.streams = 1, .ready_tasks = enough});
        int done = 0;
        task_group group;
        const std::array<int, 20> large{1};
        for (int i = 0; i < 2 * enough; ++i) {
            group.run([&done] { ++done; });
            group.run([&done, large] { done += large[0]; });
        }
        EXPECT_EQ(done, 0);
        group.wait();
        EXPECT_EQ(done, 4 * enough);
    }
    std::remove(file.c_str());
}

// More memory than the process has.
class scarce_memory {
public:
    explicit scarce_memory(std::size_t bytes_left) {
        ::getrlimit(RLIMIT_AS, &before_);
        const rlimit limit{used() + bytes_left, before_.rlim_max};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    scarce_memory(const scarce_memory&) = delete;
    scarce_memory& operator=(const scarce_memory&) = delete;
    ~scarce_memory() { ::setrlimit(RLIMIT_AS, &before_); }

private:
    static std::size_t used() {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    }
    rlimit before_{};
};

// Its size decides where the callable is kept.
template <std::size_t size>
class counted_bytes {
public:
    explicit counted_bytes(int& alive) : alive_(&alive) { ++alive; }
    counted_bytes(counted_bytes&& from) noexcept : alive_(from.alive_) { ++*alive_; }
    counted_bytes(const counted_bytes&) = delete;
    counted_bytes& operator=(const counted_bytes&) = delete;
    ~counted_bytes() { --*alive_; }

    void operator()() const {}

private:
    int* alive_;
    std::byte more_[size - sizeof(int*)] = {};
};

template <std::size_t size>
void expect_balance_with(std::size_t bytes_left) {
    int alive = 0;
    task_group group;
    const scarce_memory limit(bytes_left);
    const auto run_many = [&] {
        for (;;) {
            group.run(counted_bytes<size>(alive));
        }
    };
    EXPECT_EQ(code_of(run_many), lazult::errc::out_of_memory);
    EXPECT_GT(alive, 0);
    group.wait();
    EXPECT_EQ(alive, 0);
}

// Descriptors come in large chunks. Which request is the first one that fails depends on what is
// left for the last of them.
template <std::size_t size>
void expect_balance_where_memory_is_exhausted() {
    constexpr std::size_t least = std::size_t{2} << 20;
    constexpr std::size_t chunk = std::size_t{2} << 20;
    for (std::size_t more = 0; more < chunk; more += chunk / 16) {
        expect_balance_with<size>(least + more);
    }
}

TEST(tasks_without_memory, destroy_their_callables_once) {
    if (lazult::probe::asan || lazult::probe::tsan) {
        GTEST_SKIP() << "sanitizers need more addresses than the limit leaves";
    }
    const lazult::runtime running(lazult::options{.streams = 1, .ready_tasks = 0});
    expect_balance_where_memory_is_exhausted<16>();
    expect_balance_where_memory_is_exhausted<200>();
    expect_balance_where_memory_is_exhausted<2000>();
}

// It has no move that cannot throw, so it is copied where run() can tell its caller.
class throws_when_copied {
public:
    explicit throws_when_copied(bool& has_run) : has_run_(&has_run) {}
    throws_when_copied(const throws_when_copied& from) : has_run_(from.has_run_) {
        throw std::runtime_error("copied");
    }
    throws_when_copied& operator=(const throws_when_copied&) = delete;
    ~throws_when_copied() = default;
    void operator()() const { *has_run_ = true; }

private:
    bool* has_run_;
    [[maybe_unused]] char more_[40] = {};
};

TEST_F(tasks_on_one_stream, tell_their_creator_what_copying_the_callable_throws) {
    const std::size_t before = lazult::core::live_units();
    bool has_run = false;
    {
        task_group group;
        fill(group);
        const throws_when_copied callable(has_run);
        EXPECT_THROW(group.run(callable), std::runtime_error);
        group.wait();
    }
    EXPECT_FALSE(has_run);
    EXPECT_EQ(lazult::core::live_units(), before);
}

TEST_F(tasks_on_one_stream, of_techniques_with_promises_start_later) {
    for (const technique how :
         {technique::full, technique::lazy_stack, technique::run_to_completion}) {
        std::atomic<bool> has_run{false};
        task_group group(lazult::thread_attributes{.how = how});
        fill(group);
        group.run([&] { has_run = true; });
        EXPECT_FALSE(has_run);
        group.wait();
        EXPECT_TRUE(has_run);
    }
    for (const technique how : {technique::adaptive, technique::scheduler_creation,
                                technique::return_on_completion, technique::stack_separation}) {
        std::atomic<bool> has_run{false};
        task_group group(lazult::thread_attributes{.how = how});
        fill(group);
        group.run([&] { has_run = true; });
        EXPECT_TRUE(has_run);
        group.wait();
    }
}

TEST(tasks_of_a_runtime_without_fine_grains, start_later) {
    const lazult::runtime running(lazult::options{.streams = 1, .ready_tasks = 0});
    std::atomic<int> done{0};
    task_group group;
    for (int i = 0; i < 1000; ++i) {
        group.run([&] { ++done; });
    }
    EXPECT_EQ(done, 0);
    group.wait();
    EXPECT_EQ(done, 1000);
}

TEST_F(tasks_on_one_stream, may_want_a_mutex_that_their_creator_holds) {
    lazult::mutex gate;
    std::atomic<int> done{0};
    task_group group;
    {
        const std::lock_guard hold(gate);
        for (int i = 0; i < 3000; ++i) {
            group.run([&] {
                const std::lock_guard mine(gate);
                ++done;
            });
        }
        EXPECT_EQ(done, 0);
    }
    group.wait();
    EXPECT_EQ(done, 3000);
}

// Each creator but the first is a task that started at once, and waits below the next one.
void nest(int depth, lazult::counting_semaphore<>& gate, std::atomic<int>& passed) {
    if (depth == 0) {
        gate.acquire();
        return;
    }
    task_group group;
    fill(group);
    group.run([&, depth] { nest(depth - 1, gate, passed); });
    ++passed;
    group.wait();
}

TEST_F(tasks_on_one_stream, let_all_creators_below_go_on_when_they_wait) {
    constexpr int depth = 6;
    lazult::counting_semaphore<> gate(0);
    std::atomic<int> passed{0};
    task_group group;
    fill(group);
    group.run([&] { nest(depth, gate, passed); });
    while (passed != depth) {
        lazult::this_thread::yield();
    }
    gate.release();
    group.wait();
}

TEST_F(tasks_on_one_stream, let_their_creator_go_on_when_they_yield) {
    std::atomic<bool> is_set{false};
    task_group group;
    fill(group);
    group.run([&] {
        while (!is_set) {
            lazult::this_thread::yield();
        }
    });
    is_set = true;
    group.wait();
}

// Nothing else is ready then, so the yield alone would come back at once.
TEST_F(tasks_on_two_streams, let_their_creator_go_on_when_they_yield_and_nothing_is_ready) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> others{0};
        std::atomic<bool> is_set{false};
        task_group group;
        for (int i = 0; i < enough; ++i) {
            group.run([&] { ++others; });
        }
        group.run([&] {
            // the other stream takes them
            while (others != enough && lazult::runtime::streams() > 1) {
            }
            while (!is_set) {
                lazult::this_thread::yield();
            }
        });
        is_set = true;
        group.wait();
    }
}

TEST_F(tasks_on_one_stream, leave_their_creators_errno_alone) {
    task_group group;
    fill(group);
    errno = EDOM;
    group.run([] { errno = ERANGE; });
    EXPECT_EQ(errno, EDOM);
    group.run([] {
        errno = ERANGE;
        lazult::this_thread::yield();
        EXPECT_EQ(errno, ERANGE);
    });
    EXPECT_EQ(errno, EDOM);
    group.wait();
}

TEST_F(tasks_on_one_stream, throw_into_the_wait) {
    task_group group;
    fill(group);
    std::atomic<bool> ran{false};
    group.run([] { throw std::runtime_error("a task"); });
    group.run([&] { ran = true; });
    EXPECT_TRUE(group.is_canceled());
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_FALSE(ran);
}

TEST_F(tasks_on_one_stream, do_not_start_at_once_in_a_handler) {
    task_group group;
    fill(group);
    std::atomic<bool> ran{false};
    try {
        throw 1;
    } catch (int) {
        group.run([&] { ran = true; });
        EXPECT_FALSE(ran);
    }
    group.wait();
    EXPECT_TRUE(ran);
}

TEST_F(tasks_on_one_stream, do_not_inherit_a_creators_rounding) {
    task_group group;
    fill(group);
    ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
    std::atomic<int> of_task{-1};
    group.run([&] { of_task = std::fegetround(); });
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    group.wait();
    EXPECT_EQ(of_task, FE_TONEAREST);
    fill(group);
    group.run([] { std::fesetround(FE_DOWNWARD); });
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    group.wait();
}

TEST_F(tasks_on_one_stream, have_their_own_local_values) {
    struct counted {
        explicit counted(std::atomic<int>* destroyed) : destroyed_(destroyed) {}
        ~counted() { ++*destroyed_; }
        std::atomic<int>* destroyed_;
    };
    std::atomic<int> destroyed{0};
    lazult::thread_local_ptr<counted> value;
    task_group group;
    fill(group);
    group.run([&] { value.reset(new counted(&destroyed)); });
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(value.get(), nullptr);
    group.run([&] {
        value.reset(new counted(&destroyed));
        lazult::this_thread::yield();
    });
    group.wait();
    EXPECT_EQ(destroyed, 2);
}

TEST_F(tasks_on_one_stream, let_a_creator_that_is_cancelled_end) {
    lazult::counting_semaphore<> gate(0);
    std::atomic<bool> is_waiting{false};
    std::atomic<bool> has_ended{false};
    std::atomic<bool> came_back{false};
    lazult::thread creator([&] {
        task_group group;
        fill(group);
        group.run([&] {
            const lazult::this_thread::cancellation_disabled here;
            is_waiting = true;
            gate.acquire();
            has_ended = true;
        });
        came_back = true;
    });
    while (!is_waiting) {
        lazult::this_thread::yield();
    }
    if (!came_back) {
        lazult::cancel(creator);
        gate.release();
        creator.join();
        EXPECT_FALSE(came_back);
    } else {
        gate.release();
        creator.join();
        ADD_FAILURE() << "the creator went on before main, which was ready first";
    }
    EXPECT_TRUE(has_ended);
}

// Its creator is called on the stack of main, which joins it. It goes on there when the task waits.
TEST_F(tasks_on_two_streams, of_a_creator_that_was_joined_in_place) {
    for (int round = 0; round < 200; ++round) {
        lazult::counting_semaphore<> gate(0);
        std::atomic<int> done{0};
        lazult::thread creator([&] {
            task_group group;
            fill(group);
            group.run([&] {
                gate.acquire();
                ++done;
            });
            gate.release();
            group.wait();
            ++done;
        });
        creator.join();
        EXPECT_EQ(done, 2);
    }
}

// --- memory

long resident_kib(const std::string& which) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(which)) {
            return std::stol(line.substr(which.size()));
        }
    }
    return -1;
}

template <class Task>
void expect_little_memory(Task task, int count) {
    constexpr long most_kib = 16 * 1024;
    lazult::thread([] {}).join();
    const long before = resident_kib("VmRSS:");
    ASSERT_GT(before, 0);
    task_group group;
    for (int i = 0; i < count; ++i) {
        group.run(task);
    }
    group.wait();
    if (!lazult::probe::asan && !lazult::probe::tsan) {
        EXPECT_LT(resident_kib("VmHWM:") - before, most_kib);
    }
}

constexpr int many = lazult::probe::asan || lazult::probe::tsan ? 20'000 : 2'500'000;
std::atomic<int> ended{0};

TEST(many_tasks, take_little_memory_on_one_stream) {
    const lazult::runtime running(lazult::options{.streams = 1});
    expect_little_memory([] { ++ended; }, many);
    EXPECT_EQ(ended, many);
}

TEST(many_tasks, take_little_memory_on_two_streams) {
    const lazult::runtime running(lazult::options{.streams = 2});
    expect_little_memory([] { ++ended; }, many);
    EXPECT_EQ(ended, many);
}

void expect_little_memory_where_tasks_yield(int streams) {
    const lazult::runtime running(lazult::options{.streams = streams});
    constexpr int count = many / 4;
    expect_little_memory(
        [] {
            lazult::this_thread::yield();
            ++ended;
        },
        count);
    EXPECT_EQ(ended, count);
}
TEST(many_tasks, take_little_memory_where_they_yield) { expect_little_memory_where_tasks_yield(1); }
TEST(many_tasks, take_little_memory_where_they_yield_on_two_streams) {
    expect_little_memory_where_tasks_yield(2);
}

TEST(many_tasks, take_little_memory_where_a_task_creates_them) {
    const lazult::runtime running(lazult::options{.streams = 2});
    lazult::thread([] {}).join();
    const long before = resident_kib("VmRSS:");
    task_group group;
    group.run([&] {
        for (int i = 0; i < many; ++i) {
            group.run([] { ++ended; });
        }
    });
    group.wait();
    EXPECT_EQ(ended, many);
    if (!lazult::probe::asan && !lazult::probe::tsan) {
        EXPECT_LT(resident_kib("VmHWM:") - before, 16 * 1024);
    }
}

// --- all at once

struct shared_things {
    lazult::mutex lock;
    lazult::counting_semaphore<> tokens{2};
    long under_lock = 0;
    std::atomic<long> ended{0};
};

void grow_tree(shared_things& things, task_group& root, unsigned seed, int depth) {
    task_group own;
    for (unsigned i = 0; i < 6; ++i) {
        const unsigned next = seed * 1664525U + 1013904223U + i;
        task_group& into = next % 5 == 0 ? root : own;
        const auto run = [&things, &root, next, depth] {
            if (next % 3 == 0) {
                lazult::this_thread::yield();
            }
            if (next % 7 == 0) {
                things.tokens.acquire();
                lazult::this_thread::yield();
                things.tokens.release();
            }
            if (depth > 0) {
                grow_tree(things, root, next >> 3, depth - 1);
            }
            const std::lock_guard hold(things.lock);
            ++things.under_lock;
            if (next % 11 == 0) {
                lazult::this_thread::yield();
            }
            ++things.ended;
        };
        if (next % 13 == 0) {
            const std::lock_guard hold(things.lock);
            into.run(run);
        } else {
            into.run(run);
        }
    }
    own.wait();
}

class task_trees : public testing::TestWithParam<int> {};

TEST_P(task_trees, end_whole) {
    const lazult::runtime running(lazult::options{.streams = GetParam(), .ready_tasks = 2});
    constexpr int depth = 4;
    constexpr long units = 6 + 36 + 216 + 1296 + 7776;
    const int rounds = lazult::probe::asan || lazult::probe::tsan ? 2 : 10;
    for (int round = 0; round < rounds; ++round) {
        shared_things things;
        task_group root;
        grow_tree(things, root, static_cast<unsigned>(round) * 977U, depth);
        root.wait();
        EXPECT_EQ(things.under_lock, units);
        EXPECT_EQ(things.ended, units);
    }
}

INSTANTIATE_TEST_SUITE_P(streams, task_trees, testing::Values(1, 2, 4));

}  // namespace
