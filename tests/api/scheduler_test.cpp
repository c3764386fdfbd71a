// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/scheduler.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <lazult/condition_variable.hpp>
#include <lazult/info.hpp>
#include <lazult/mutex.hpp>
#include <lazult/statistics.hpp>
#include <lazult/task_group.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>

#include "tests/support/code_of.hpp"

namespace {

namespace this_thread = lazult::this_thread;
using lazult::execution_stream;
using lazult::pool;
using lazult::pool_kind;
using lazult::scheduler_kind;
using lazult::thread;
using lazult::thread_attributes;
using lazult::thread_id;

using lazult::support::code_of;

// Threads of all kinds of behaviour, in a pool that another stream serves.
void exercise(pool& where, int rank) {
    lazult::mutex m;
    lazult::condition_variable changed;
    std::atomic<int> elsewhere{0};
    int turn = 0;
    std::vector<thread> threads;
    for (int i = 0; i < 40; ++i) {
        const auto how = static_cast<lazult::technique>(i % 5);
        threads.emplace_back(thread_attributes{.how = how, .where = &where}, [&, i] {
            elsewhere += this_thread::stream_rank() != rank;
            this_thread::yield();
            std::unique_lock lock(m);
            changed.wait(lock, [&] { return turn == i; });
            ++turn;
            changed.notify_all();
            lock.unlock();
            thread child(thread_attributes{.where = &where}, [] { this_thread::yield(); });
            child.join();
            elsewhere += this_thread::stream_rank() != rank;
        });
    }
    lazult::join_many(threads);
    EXPECT_EQ(elsewhere, 0);
    EXPECT_EQ(turn, 40);
}

class pool_of : public testing::TestWithParam<pool_kind> {};

TEST_P(pool_of, serves_a_stream) {
    pool p(GetParam());
    EXPECT_TRUE(p.empty());
    {
        execution_stream stream(scheduler_kind::basic, {&p});
        exercise(p, stream.rank());
        EXPECT_EQ(stream.default_pool().kind(), p.kind());
    }
    EXPECT_TRUE(p.empty());
}

INSTANTIATE_TEST_SUITE_P(pool, pool_of,
                         testing::Values(pool_kind::private_fifo, pool_kind::shared_fifo,
                                         pool_kind::priority, pool_kind::work_stealing));

class scheduler_of : public testing::TestWithParam<scheduler_kind> {};

TEST_P(scheduler_of, serves_a_stream) {
    pool p(pool_kind::work_stealing);
    pool second(pool_kind::shared_fifo);
    execution_stream stream(GetParam(), {&p, &second});
    exercise(p, stream.rank());
    exercise(second, stream.rank());
    stream.join();
    EXPECT_FALSE(stream.joinable());
    EXPECT_EQ(code_of([&] { stream.join(); }), lazult::errc::invalid_handle);
}

INSTANTIATE_TEST_SUITE_P(scheduler, scheduler_of,
                         testing::Values(scheduler_kind::basic, scheduler_kind::priority,
                                         scheduler_kind::waiting));

TEST(pool, is_made_by_the_name_that_it_tells) {
    for (const pool_kind kind : {pool_kind::private_fifo, pool_kind::shared_fifo,
                                 pool_kind::priority, pool_kind::work_stealing}) {
        const pool by_kind(kind);
        const pool by_name(by_kind.kind());
        EXPECT_EQ(by_name.kind(), by_kind.kind());
    }
    for (const std::string_view name : {"custom", "biased_fifo", "PRIORITY", ""}) {
        EXPECT_EQ(code_of([&] { pool wrong(name); }), lazult::errc::invalid_argument) << name;
    }
}

TEST(pool, priorities_are_kept) {
    pool p(pool_kind::priority);
    std::vector<int> order;
    std::vector<thread> threads;
    for (const int level : {7, 0, 3, 0, 5}) {
        threads.emplace_back(thread_attributes{.where = &p, .priority = level},
                             [&order, level] { order.push_back(level); });
    }
    EXPECT_EQ(p.size(), 5U);
    execution_stream stream(scheduler_kind::basic, {&p});
    for (thread& t : threads) {
        while (!t.finished()) {
            this_thread::yield();
        }
    }
    lazult::join_many(threads);
    EXPECT_EQ(order, (std::vector<int>{0, 0, 3, 5, 7}));
}

// Also a joiner on another stream, which would like to run its child itself, leaves it where it was
// put.
TEST(pool, names_where_a_thread_runs) {
    pool p(pool_kind::shared_fifo);
    execution_stream stream(scheduler_kind::basic, {&p});
    std::atomic<int> elsewhere{0};
    for (int i = 0; i < 200; ++i) {
        thread t(thread_attributes{.where = &p},
                 [&] { elsewhere += this_thread::stream_rank() != stream.rank(); });
        t.join();
        lazult::task_group group(thread_attributes{.where = &p});
        group.run([&] { elsewhere += this_thread::stream_rank() != stream.rank(); });
        group.wait();
    }
    EXPECT_EQ(elsewhere, 0);
}

TEST(pool, of_the_calling_stream) {
    thread([] {
        EXPECT_EQ(lazult::this_stream::private_pool().kind(), "private_fifo");
        EXPECT_FALSE(lazult::this_stream::default_pool().kind().empty());
        pool mine = lazult::this_stream::private_pool();
        const int rank = this_thread::stream_rank();
        std::vector<thread> pinned;
        std::atomic<int> elsewhere{0};
        for (int i = 0; i < 20; ++i) {
            pinned.emplace_back(thread_attributes{.where = &mine}, [&elsewhere, rank] {
                this_thread::yield();
                elsewhere += this_thread::stream_rank() != rank;
            });
        }
        lazult::join_many(pinned);
        EXPECT_EQ(elsewhere, 0);
    }).join();
    std::thread([] {
        EXPECT_EQ(code_of([] { lazult::this_stream::default_pool(); }),
                  lazult::errc::not_supported);
    }).join();
}

TEST(execution_stream, comes_and_goes) {
    thread([] {}).join();
    const int before = lazult::runtime::streams();
    {
        execution_stream a;
        execution_stream b;
        EXPECT_EQ(lazult::runtime::streams(), before + 2);
        EXPECT_NE(a.rank(), b.rank());
        pool p = a.default_pool();
        std::atomic<int> ran{0};
        std::vector<thread> threads;
        for (int i = 0; i < 200; ++i) {
            threads.emplace_back(thread_attributes{.where = &p}, [&ran] { ++ran; });
        }
        lazult::join_many(threads);
        EXPECT_EQ(ran, 200);
        execution_stream c(std::move(a));
        EXPECT_FALSE(a.joinable());
        swap(b, c);
    }
    EXPECT_EQ(lazult::runtime::streams(), before);
}

// A thread of the runtime's own pools goes on where what it joined has ended: here on the very
// stream that it then ends.
TEST(execution_stream, is_ended_by_a_thread_that_came_to_run_there) {
    for (int round = 0; round < 50; ++round) {
        thread ender([] {
            pool own(pool_kind::shared_fifo);
            execution_stream s(scheduler_kind::basic, {&own});
            thread child(thread_attributes{.where = &own}, [] {
                const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
                while (std::chrono::steady_clock::now() < end) {
                    this_thread::yield();
                }
            });
            child.join();
            EXPECT_EQ(code_of([&] { s.join(); }), lazult::errc{});
        });
        ender.join();
    }
}

// A new stream of the library's own kind steals what it finds: its creator, too, which then ends
// the stream that it runs on.
TEST(execution_stream, may_be_ended_by_a_thread_that_it_has_stolen) {
    const lazult::runtime moving(lazult::options{.started = lazult::started_kind::move});
    int stolen = 0;
    for (int round = 0; round < 40; ++round) {
        thread creator([&] {
            execution_stream s;
            const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
            while (this_thread::stream_rank() != s.rank() &&
                   std::chrono::steady_clock::now() < end) {
                thread([] {}).join();
                this_thread::yield();
            }
            stolen += this_thread::stream_rank() == s.rank();
        });
        creator.join();
    }
    EXPECT_GT(stolen, 0) << "no stream stole its creator: the test shows nothing";
}

TEST(execution_stream, may_be_ended_by_a_thread_of_its_own_pool) {
    for (const pool_kind kind : {pool_kind::shared_fifo, pool_kind::private_fifo}) {
        pool own(kind);
        auto s = std::make_unique<execution_stream>(scheduler_kind::basic,
                                                    std::initializer_list<pool*>{&own});
        const int rank = s->rank();
        int before = -2;
        int after = -2;
        thread ender(thread_attributes{.where = &own}, [&] {
            before = this_thread::stream_rank();
            s.reset();
            after = this_thread::stream_rank();
            this_thread::yield();
        });
        ender.join();
        EXPECT_EQ(before, rank);
        EXPECT_NE(after, rank);
    }
}

TEST(execution_stream, is_not_ended_by_a_tasklet_that_it_runs) {
    pool own(pool_kind::shared_fifo);
    execution_stream s(scheduler_kind::basic, {&own});
    lazult::errc code{};
    lazult::tasklet t(thread_attributes{.where = &own}, [&] { code = code_of([&] { s.join(); }); });
    t.join();
    EXPECT_EQ(code, lazult::errc::would_deadlock);
    EXPECT_TRUE(s.joinable());
}

// OS threads that are no streams name no pool: a stream that somebody made for other work, and will
// end, is not for their threads.
TEST(execution_stream, gets_no_threads_that_were_not_meant_for_it) {
    pool own(pool_kind::shared_fifo);
    execution_stream s(scheduler_kind::basic, {&own});
    std::atomic<int> astray{0};
    std::atomic<bool> created{false};
    std::vector<thread> threads;
    std::thread outside([&] {
        for (int i = 0; i < 30; ++i) {
            threads.emplace_back([&] { astray += this_thread::stream_rank() == s.rank(); });
        }
        created = true;
    });
    while (!created) {
        this_thread::yield();
    }
    outside.join();
    lazult::join_many(threads);
    EXPECT_EQ(astray, 0);
}

TEST(execution_stream, misuse) {
    pool mine(pool_kind::private_fifo);
    pool fifo(pool_kind::shared_fifo);
    EXPECT_EQ(code_of([] { execution_stream(scheduler_kind::basic, {}); }),
              lazult::errc::invalid_argument);
    EXPECT_EQ(code_of([] { execution_stream(scheduler_kind::basic, {nullptr}); }),
              lazult::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { execution_stream(scheduler_kind::work_stealing, {&fifo}); }),
              lazult::errc::invalid_argument);
    const execution_stream owner(scheduler_kind::basic, {&mine});
    EXPECT_EQ(code_of([&] { execution_stream(scheduler_kind::basic, {&mine}); }),
              lazult::errc::busy);
    EXPECT_EQ(code_of([] { pool wrong(pool_kind::custom); }), lazult::errc::invalid_argument);
}

// Last in, first out, under a lock.
class stack_pool final : public lazult::custom_pool {
public:
    void push(thread_id unit) noexcept override {
        const std::lock_guard hold(lock_);
        units_.push_back(unit);
        ++pushed;
    }
    thread_id pop() noexcept override {
        const std::lock_guard hold(lock_);
        if (units_.empty()) {
            return {};
        }
        const thread_id unit = units_.back();
        units_.pop_back();
        return unit;
    }
    std::size_t count() const noexcept override {
        const std::lock_guard hold(lock_);
        return units_.size();
    }

    std::atomic<int> pushed{0};

private:
    mutable std::mutex lock_;
    std::vector<thread_id> units_;
};

TEST(custom_pool, serves_a_stream) {
    stack_pool p;
    EXPECT_EQ(p.kind(), "custom");
    std::vector<int> order;
    std::vector<thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back(thread_attributes{.where = &p}, [&order, i] { order.push_back(i); });
    }
    EXPECT_EQ(p.size(), 3U);
    execution_stream stream(scheduler_kind::basic, {&p});
    for (thread& t : threads) {
        while (!t.finished()) {
            this_thread::yield();
        }
    }
    lazult::join_many(threads);
    EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
    exercise(p, stream.rank());
    EXPECT_GE(p.pushed, 3 + 2 * 40);
}

// Takes from two pools in turn.
class alternating : public lazult::custom_scheduler {
public:
    alternating(pool& a, pool& b, loop_kind kind = loop_kind::standard)
        : custom_scheduler(kind), pools_{&a, &b} {}

    thread_id next() noexcept override {
        ++asked;
        for (int tries = 0; tries < 2; ++tries) {
            turn_ = 1 - turn_;
            if (const thread_id unit = pop(*pools_[turn_]); unit != thread_id()) {
                return unit;
            }
        }
        return {};
    }
    const char* name() const noexcept override { return "alternating"; }

    std::atomic<int> asked{0};

private:
    pool* pools_[2];
    int turn_ = 0;
};

TEST(custom_scheduler, chooses) {
    pool a(pool_kind::shared_fifo);
    pool b(pool_kind::private_fifo);
    alternating s(a, b);
    std::string order;
    std::vector<thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back(thread_attributes{.where = &a}, [&order] { order += 'a'; });
        threads.emplace_back(thread_attributes{.where = &b}, [&order] { order += 'b'; });
    }
    execution_stream stream(s, {&a, &b});
    for (thread& t : threads) {
        while (!t.finished()) {
            this_thread::yield();
        }
    }
    lazult::join_many(threads);
    EXPECT_EQ(order, "bababa");
    exercise(a, stream.rank());
    exercise(b, stream.rank());
    EXPECT_GT(s.asked, 6);
}

// With a loop of its own, which counts what it runs in its frame.
class looping final : public alternating {
public:
    using alternating::alternating;
    std::atomic<int> ran{0};
    std::atomic<bool> ended{false};

protected:
    void loop() override {
        int count = 0;
        do {
            for (thread_id u = next(); u != thread_id(); u = next()) {
                run(u);
                ran = ++count;
            }
        } while (wait());
        ended = true;
    }
};

TEST(custom_scheduler, loops_by_itself) {
    pool a(pool_kind::shared_fifo);
    pool b(pool_kind::shared_fifo);
    looping s(a, b, lazult::custom_scheduler::loop_kind::stateful);
    const auto before = lazult::statistics().fallbacks;
    {
        execution_stream stream(s, {&a, &b});
        exercise(a, stream.rank());
        exercise(b, stream.rank());
    }
    EXPECT_GT(s.ran, 0);
    EXPECT_TRUE(s.ended);
    EXPECT_GT(lazult::statistics().fallbacks, before);
}

TEST(stacked_scheduler, takes_the_stream_over_until_its_pools_are_empty) {
    pool base(pool_kind::shared_fifo);
    pool inner(pool_kind::shared_fifo);
    execution_stream stream(scheduler_kind::basic, {&base});
    std::atomic<int> ran{0};
    std::vector<thread> threads;
    for (int i = 0; i < 20; ++i) {
        threads.emplace_back(thread_attributes{.where = &inner}, [&] {
            this_thread::yield();
            ran += this_thread::stream_rank() == stream.rank();
        });
    }
    EXPECT_EQ(ran, 0);
    lazult::stacked_scheduler stacked(base, scheduler_kind::basic, {&inner});
    stacked.join();
    lazult::join_many(threads);
    EXPECT_EQ(ran, 20);
    EXPECT_EQ(code_of([&] { stacked.join(); }), lazult::errc::invalid_handle);
    exercise(base, stream.rank());
}

TEST(stacked_scheduler, of_the_users_own) {
    pool base(pool_kind::shared_fifo);
    pool a(pool_kind::shared_fifo);
    pool b(pool_kind::shared_fifo);
    alternating s(a, b);
    execution_stream stream(scheduler_kind::basic, {&base});
    std::atomic<int> ran{0};
    std::vector<thread> threads;
    for (int i = 0; i < 20; ++i) {
        threads.emplace_back(thread_attributes{.where = i % 2 == 0 ? &a : &b}, [&] { ++ran; });
    }
    {
        const lazult::stacked_scheduler stacked(base, s, {&a, &b});
    }
    EXPECT_EQ(ran, 20);
    lazult::join_many(threads);
}

TEST(event_callback, is_polled_by_idle_streams) {
    std::atomic<int> polled{0};
    thread([] {}).join();
    {
        const lazult::event_callback poll([&] {
            ++polled;
            return 0;
        });
        while (polled < 10) {
            this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
    const int then = polled;
    this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(polled, then);
}

TEST(info, says_what_is) {
    const auto rows = lazult::settings();
    EXPECT_GE(rows.size(), 10U);
    bool found = false;
    for (const auto& row : rows) {
        found = found || (row.name == "streams" && row.variable == "LAZULT_STREAMS" &&
                          row.source == "environment");
        EXPECT_FALSE(row.description.empty());
    }
    EXPECT_TRUE(found);
    EXPECT_FALSE(lazult::describe_machine().empty());
    EXPECT_FALSE(lazult::version().empty());
    EXPECT_FALSE(lazult::guard_method().empty());
    EXPECT_FALSE(lazult::context_switch().empty());
    thread(thread_attributes{.how = lazult::technique::full}, [] {}).join();
    EXPECT_GE(lazult::stacks().carved, 1U);
}

}  // namespace
