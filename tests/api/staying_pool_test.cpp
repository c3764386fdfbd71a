// SPDX-License-Identifier: BSD-3-Clause
// pool_options::started = stay: what has begun in a pool stays on its stream, in a process without
// that setting. The code under test is ordinary, as in started_units_stay_test.cpp.
#include <gtest/gtest.h>
#include <lazult/lazult.hpp>

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "techniques.hpp"
#include "tests/support/code_of.hpp"

namespace {

using lazult::pool_kind;
using lazult::scheduler_kind;
using lazult::started_kind;
using lazult::thread;
using lazult::support::code_of;
namespace this_thread = lazult::this_thread;

#define USES_ERRNO __attribute__((no_sanitize("thread")))

thread_local int of_os_thread = 0;

[[gnu::noinline]] const int* address_now() noexcept {
    asm volatile("");
    return &of_os_thread;
}

constexpr lazult::pool_options staying{.started = started_kind::stay};
constexpr lazult::pool_options moving{.started = started_kind::move};

bool is_due(std::chrono::steady_clock::time_point end) {
    return std::chrono::steady_clock::now() >= end;
}
std::chrono::steady_clock::time_point after(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}
constexpr auto patience = std::chrono::seconds(20);

std::vector<lazult::execution_stream> streams_of(int count, scheduler_kind kind, lazult::pool& p) {
    std::vector<lazult::execution_stream> all;
    for (int i = 0; i < count; ++i) {
        all.emplace_back(kind, std::initializer_list<lazult::pool*>{&p});
    }
    return all;
}

// Counts what goes wrong for a unit that shall stay where it is now.
class stay_check {
public:
    explicit stay_check(std::atomic<int>& wrong) noexcept
        : wrong_(wrong), kept_(address_now()), rank_(this_thread::stream_rank()) {}
    void look() const noexcept {
        wrong_ += address_now() != kept_ || this_thread::stream_rank() != rank_;
    }

private:
    std::atomic<int>& wrong_;
    const int* kept_;
    int rank_;
};

// --- the plain program

using errno_case = std::tuple<pool_kind, int, lazult::technique>;

class staying_pool : public testing::TestWithParam<errno_case> {
protected:
    ~staying_pool() override {
        outside_.request_stop();
        outside_.join();
    }

    lazult::pool pool_{std::get<0>(GetParam()), staying};
    const int count_ = std::get<1>(GetParam());
    std::vector<lazult::execution_stream> streams_ =
        streams_of(count_, scheduler_kind::basic, pool_);
    std::atomic<int> wrong_{0};

    lazult::thread_attributes here() { return {.how = std::get<2>(GetParam()), .where = &pool_}; }
    // One of the many ways to suspend, in turn.
    void suspend(int i) {
        switch (i % 5) {
            case 0: this_thread::yield(); break;
            case 1: {
                const std::lock_guard hold(lock_);
                this_thread::yield();
                break;
            }
            case 2: thread(here(), [] { this_thread::yield(); }).join(); break;
            case 3: this_thread::sleep_for(std::chrono::microseconds(1)); break;
            default: {
                const auto done = std::make_shared<lazult::eventual<int>>();
                give_outside(done);
                done->wait();
            }
        }
    }
    USES_ERRNO void use_errno(int value, int rounds) {
        for (int i = 0; i < rounds; ++i) {
            errno = value;
            suspend(value + i);
            wrong_ += errno != value;
            errno = 0;
            suspend(value + i + 1);
            wrong_ += ::open("/nonexistent", O_RDONLY) >= 0 || errno != ENOENT;
        }
    }

private:
    using awaited = std::shared_ptr<lazult::eventual<int>>;

    void give_outside(awaited done) {
        const std::lock_guard hold(given_lock_);
        given_.push_back(std::move(done));
    }
    // An OS thread that is no stream resumes ULTs.
    void resume(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            awaited next;
            {
                const std::lock_guard hold(given_lock_);
                if (!given_.empty()) {
                    next = given_.front();
                    given_.pop_front();
                }
            }
            next != nullptr ? next->set(1) : std::this_thread::yield();
        }
    }

    lazult::mutex lock_;
    std::mutex given_lock_;  // never held over a suspension
    std::deque<awaited> given_;
    std::jthread outside_{[this](const std::stop_token& stop) { resume(stop); }};
};

TEST_P(staying_pool, keeps_errno_of_ordinary_code) {
    std::vector<thread> all;
    for (int i = 1; i <= 100; ++i) {
        all.emplace_back(here(), [this, i] { use_errno(1000 + i, 40); });
    }
    lazult::join_many(all);
    EXPECT_EQ(wrong_, 0);
}

TEST_P(staying_pool, keeps_addresses_of_thread_local_variables) {
    std::vector<thread> all;
    for (int i = 0; i < 100; ++i) {
        all.emplace_back(here(), [this, i] {
            const stay_check check(wrong_);
            for (int round = 0; round < 40; ++round) {
                suspend(i + round);
                check.look();
            }
        });
    }
    lazult::join_many(all);
    EXPECT_EQ(wrong_, 0);
}

INSTANTIATE_TEST_SUITE_P(
    kinds, staying_pool,
    testing::Combine(testing::Values(pool_kind::shared_fifo, pool_kind::priority),
                     testing::Values(2, 4),
                     testing::ValuesIn(lazult::api_test::suspending_techniques)));

// --- other ways to begin and to go on

TEST(pool_that_keeps, lets_all_its_streams_take_what_has_not_begun) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    const auto streams = streams_of(3, scheduler_kind::basic, pool);
    std::atomic<int> meeting{0};
    std::vector<thread> all;
    for (int i = 0; i < 3; ++i) {  // each blocks its stream until all three run
        all.emplace_back(lazult::thread_attributes{.where = &pool}, [&meeting] {
            ++meeting;
            const auto end = after(patience);
            while (meeting < 3 && !is_due(end)) {
                std::this_thread::yield();
            }
        });
    }
    lazult::join_many(all);
    EXPECT_EQ(meeting, 3);
}

TEST(pool_that_keeps, lets_units_begin_beside_those_that_give_way) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    const auto streams = streams_of(2, scheduler_kind::basic, pool);
    std::atomic<int> begun{0};
    constexpr int count = 100;
    std::vector<thread> all;
    for (int i = 0; i < count; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = &pool}, [&begun] {
            ++begun;
            while (begun < count) {
                this_thread::yield();
            }
        });
    }
    lazult::join_many(all);
    EXPECT_EQ(begun, count);
}

// A ULT that others yield to goes on on its own stream, and begins only on a stream of its pool.
TEST(pool_that_keeps, refuses_streams_that_yield_to_its_units) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    const auto streams = streams_of(2, scheduler_kind::basic, pool);
    std::atomic<int> wrong{0};
    std::atomic<bool> is_over{false};
    std::vector<thread> all;
    for (int i = 0; i < 20; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = &pool}, [&] {
            const stay_check check(wrong);
            while (!is_over) {
                this_thread::yield();
                check.look();
            }
        });
    }
    constexpr std::size_t rounds = 2000;
    thread player({.where = &pool}, [&] {  // of the same pool
        const stay_check check(wrong);
        for (std::size_t i = 0; i < rounds; ++i) {
            this_thread::yield_to(all[i % all.size()]);
            check.look();
        }
    });
    for (std::size_t i = 0; i < rounds; ++i) {  // of another one
        this_thread::yield_to(all[i % all.size()]);
    }
    player.join();
    is_over = true;
    lazult::join_many(all);
    EXPECT_EQ(wrong, 0);
}

// A joiner, and a creator that gives way to its child, are on a stream that does not serve the
// pool.
TEST(pool_that_keeps, begins_no_unit_on_a_stream_that_cannot_keep_it) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    std::atomic<int> wrong{0};
    const auto body = [&wrong] {
        const stay_check check(wrong);
        for (int i = 0; i < 20; ++i) {
            this_thread::yield();
            check.look();
        }
    };
    const int here = this_thread::stream_rank();
    std::atomic<int> begun_here{0};
    const auto streams = streams_of(2, scheduler_kind::basic, pool);
    for (int round = 0; round < 300; ++round) {
        thread({.where = &pool, .child_first = round % 2 == 0}, [&] {
            begun_here += this_thread::stream_rank() == here;
            body();
        }).join();
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(begun_here, 0);
}

// The same while no stream serves the pool, so that nobody else takes the unit.
TEST(pool_that_keeps, leaves_a_unit_to_its_streams_if_others_want_to_run_it) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    const int here = this_thread::stream_rank();
    int began_on = -1;
    int went_on_on = -1;
    thread t({.where = &pool}, [&] {
        began_on = this_thread::stream_rank();
        this_thread::yield();
        went_on_on = this_thread::stream_rank();
    });
    this_thread::yield_to(t);
    thread joiner([&t] { t.join(); });
    for (int i = 0; i < 10; ++i) {
        this_thread::yield();  // the joiner waits by now, and is as near as it ever is
    }
    EXPECT_EQ(began_on, -1);
    const lazult::execution_stream stream(scheduler_kind::basic, {&pool});
    joiner.join();
    EXPECT_NE(began_on, here);
    EXPECT_EQ(began_on, went_on_on);
}

// The joiner is in a pool that keeps its units. It joins a unit of a pool that lets units move, and
// that unit ends on another stream. The joiner goes on upon its own stream.
TEST(pool_that_keeps, keeps_a_joiner_of_a_unit_that_moves) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    lazult::pool other(pool_kind::shared_fifo, moving);
    lazult::execution_stream a(scheduler_kind::basic, {&pool, &other});
    lazult::execution_stream b(scheduler_kind::basic, {&pool, &other});
    std::atomic<int> wrong{0};
    for (const lazult::technique how : lazult::api_test::suspending_techniques) {
        std::vector<thread> all;
        for (int i = 0; i < 20; ++i) {
            all.emplace_back(lazult::thread_attributes{.how = how, .where = &pool}, [&, how] {
                const stay_check check(wrong);
                for (int round = 0; round < 50; ++round) {
                    thread({.how = how, .where = &other}, [] {
                        this_thread::yield();
                        this_thread::yield();
                    }).join();
                    check.look();
                }
            });
        }
        lazult::join_many(all);
    }
    EXPECT_EQ(wrong, 0);
}

TEST(pool_that_keeps, lets_the_user_move_a_unit) {
    lazult::pool from(pool_kind::shared_fifo, staying);
    lazult::pool to(pool_kind::shared_fifo, staying);
    lazult::execution_stream first(scheduler_kind::basic, {&from});
    lazult::execution_stream second(scheduler_kind::basic, {&to});
    lazult::execution_stream third(scheduler_kind::basic, {&to});
    std::atomic<bool> has_begun{false};
    std::atomic<int> wrong{0};
    bool has_moved = false;
    thread moves({.where = &from}, [&] {
        const int began_on = this_thread::stream_rank();
        has_begun = true;
        const auto end = after(patience);
        while (this_thread::stream_rank() == began_on && !is_due(end)) {
            this_thread::yield();
        }
        has_moved = this_thread::stream_rank() != began_on;
        const stay_check check(wrong);  // from now on it stays again
        for (int i = 0; i < 200; ++i) {
            this_thread::yield();
            check.look();
        }
    });
    while (!has_begun) {
        this_thread::yield();
    }
    lazult::migrate(moves, to);
    moves.join();
    EXPECT_TRUE(has_moved);
    EXPECT_EQ(wrong, 0);
}

TEST(pool_that_keeps, lets_a_revived_unit_begin_anywhere) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    const auto streams = streams_of(2, scheduler_kind::basic, pool);
    std::set<int> began_on;
    const auto live = [&began_on] {
        began_on.insert(this_thread::stream_rank());
        this_thread::yield();
    };
    thread lives({.where = &pool}, live);
    const auto end = after(patience);
    while (began_on.size() < 2 && !is_due(end)) {
        lives.wait();
        if (began_on.size() < 2) {
            // keeps the stream of the last life busy for a moment
            thread busy({.where = &pool}, [] {
                const auto until =
                    std::chrono::steady_clock::now() + std::chrono::microseconds(300);
                while (!is_due(until)) {
                }
            });
            lives.revive(live);
            busy.join();
        }
    }
    lives.join();
    EXPECT_EQ(began_on.size(), 2U);
}

// A unit that waits while its stream ends goes on on another stream of the pool, and stays there.
TEST(pool_that_keeps, gives_units_of_a_stream_that_ends_to_the_others) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    std::atomic<int> wrong{0};
    for (int round = 0; round < 100; ++round) {
        lazult::eventual<int> go;
        std::atomic<int> begun{0};
        std::vector<thread> all;
        lazult::execution_stream ends(scheduler_kind::basic, {&pool});
        for (int i = 0; i < 5; ++i) {
            all.emplace_back(lazult::thread_attributes{.where = &pool}, [&] {
                ++begun;
                go.wait();
                const stay_check check(wrong);
                for (int k = 0; k < 5; ++k) {
                    this_thread::yield();
                    check.look();
                }
            });
        }
        while (begun < 5) {
            this_thread::yield();
        }
        lazult::execution_stream remains(scheduler_kind::basic, {&pool});
        std::jthread wakes;
        if (round % 2 == 0) {
            wakes = std::jthread([&go] { go.set(1); });  // while the stream ends
        }
        ends.join();
        if (round % 2 != 0) {
            go.set(1);
        }
        lazult::join_many(all);
    }
    EXPECT_EQ(wrong, 0);
}

TEST(pool_that_keeps, works_while_its_streams_come_and_go) {
    lazult::pool pool(pool_kind::priority, staying);
    lazult::execution_stream remains(scheduler_kind::basic, {&pool});
    std::atomic<int> ended{0};
    std::vector<thread> all;
    for (int i = 0; i < 50; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = &pool, .priority = i % 8}, [&ended] {
            for (int round = 0; round < 500; ++round) {
                this_thread::yield();
            }
            ++ended;
        });
    }
    for (int i = 0; i < 30; ++i) {
        lazult::execution_stream comes(scheduler_kind::basic, {&pool});
        lazult::execution_stream too(scheduler_kind::basic, {&pool});
    }
    lazult::join_many(all);
    EXPECT_EQ(ended, 50);
    EXPECT_TRUE(pool.empty());
}

std::vector<int> order_of_priorities(const lazult::pool_options& options) {
    lazult::pool pool(pool_kind::priority, options);
    std::mutex lock;  // never held over a suspension
    std::vector<int> order;
    std::vector<thread> all;
    for (int level : {7, 3, 0, 5, 1}) {
        all.emplace_back(lazult::thread_attributes{.where = &pool, .priority = level},
                         [&order, &lock, level] {
                             for (int i = 0; i < 3; ++i) {
                                 {
                                     const std::lock_guard hold(lock);
                                     order.push_back(level);
                                 }
                                 this_thread::yield();
                             }
                         });
    }
    const auto streams = streams_of(1, scheduler_kind::basic, pool);
    lazult::join_many(all);
    return order;
}

TEST(pool_that_keeps, keeps_the_order_of_priorities) {
    EXPECT_EQ(order_of_priorities(staying), order_of_priorities(moving));
}

class in_turns : public lazult::custom_scheduler {
public:
    in_turns(lazult::pool& a, lazult::pool& b) : pools_{&a, &b} {}
    lazult::thread_id next() noexcept override {
        for (int i = 0; i < 2; ++i) {
            turn_ = 1 - turn_;
            if (const lazult::thread_id u = pop(*pools_[turn_]); u != lazult::thread_id()) {
                return u;
            }
        }
        return {};
    }

private:
    lazult::pool* pools_[2];
    int turn_ = 0;
};

TEST(pool_that_keeps, works_under_the_users_own_schedulers) {
    lazult::pool a(pool_kind::shared_fifo, staying);
    lazult::pool b(pool_kind::priority, staying);
    in_turns first(a, b);
    in_turns second(b, a);
    lazult::execution_stream one(first, {&a, &b});
    lazult::execution_stream two(second, {&b, &a});
    std::atomic<int> wrong{0};
    lazult::mutex lock;
    std::vector<thread> all;
    for (int i = 0; i < 60; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = i % 2 == 0 ? &a : &b}, [&] {
            const stay_check check(wrong);
            for (int round = 0; round < 100; ++round) {
                this_thread::yield();
                check.look();
                const std::lock_guard hold(lock);
                this_thread::yield();
                check.look();
            }
        });
    }
    lazult::join_many(all);
    EXPECT_EQ(wrong, 0);
}

TEST(pool_that_keeps, says_its_kind_and_its_size) {
    lazult::pool pool(pool_kind::shared_fifo, staying);
    EXPECT_EQ(pool.kind(), "shared_fifo");
    EXPECT_EQ(lazult::pool("priority", staying).kind(), "priority");
    EXPECT_EQ(lazult::pool(pool_kind::private_fifo, staying).kind(), "private_fifo");
    EXPECT_EQ(lazult::pool(pool_kind::work_stealing, staying).kind(), "work_stealing");
    std::vector<thread> all;
    for (int i = 0; i < 3; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = &pool}, [] { this_thread::yield(); });
    }
    EXPECT_EQ(pool.size(), 3U);
    const auto streams = streams_of(2, scheduler_kind::basic, pool);
    lazult::join_many(all);
    EXPECT_TRUE(pool.empty());
}

TEST(pool_that_keeps, cannot_be_of_a_kind_that_is_not_the_librarys) {
    EXPECT_EQ(code_of([] { lazult::pool(pool_kind::custom, staying); }),
              lazult::errc::invalid_argument);
}

// --- stacked schedulers

TEST(pool_that_keeps, works_under_a_stacked_scheduler) {
    lazult::pool outer(pool_kind::shared_fifo, staying);
    lazult::pool inner(pool_kind::shared_fifo, staying);
    const auto streams = streams_of(3, scheduler_kind::basic, outer);
    std::atomic<int> wrong{0};
    std::vector<thread> all;
    for (int i = 0; i < 20; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = i % 2 == 0 ? &inner : &outer}, [&] {
            const stay_check check(wrong);
            for (int round = 0; round < 100; ++round) {
                this_thread::yield();
                check.look();
            }
        });
    }
    lazult::stacked_scheduler first(outer, scheduler_kind::basic, {&inner});
    lazult::stacked_scheduler second(outer, scheduler_kind::basic, {&inner});
    lazult::join_many(all);
    first.join();
    second.join();
    EXPECT_EQ(wrong, 0);
}

TEST(pool_that_keeps, refuses_a_stacked_scheduler_that_may_move) {
    lazult::pool shared(pool_kind::shared_fifo, moving);
    lazult::pool own(pool_kind::private_fifo);
    lazult::pool inner(pool_kind::shared_fifo, staying);
    EXPECT_EQ(code_of([&] { lazult::stacked_scheduler(shared, scheduler_kind::basic, {&inner}); }),
              lazult::errc::invalid_argument);
    thread t({.where = &inner}, [] { this_thread::yield(); });
    lazult::execution_stream stream(scheduler_kind::basic, {&own});
    lazult::stacked_scheduler(own, scheduler_kind::basic, {&inner}).join();
    t.join();
}

// --- the settings of pool, stream and process

bool moves_within(std::chrono::milliseconds time, lazult::pool& pool) {
    std::atomic<bool> has_moved{false};
    const auto end = after(time);
    std::vector<thread> all;
    for (int i = 0; i < 10; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = &pool}, [&has_moved, end] {
            const int began_on = this_thread::stream_rank();
            while (!has_moved && !is_due(end)) {
                this_thread::yield();
                has_moved = has_moved || this_thread::stream_rank() != began_on;
            }
        });
    }
    lazult::join_many(all);
    return has_moved;
}

TEST(pool_options, say_more_than_the_process_does) {
    for (const started_kind process : {started_kind::move, started_kind::stay}) {
        const lazult::runtime running({.streams = 1, .started = process});
        lazult::pool says_stay(pool_kind::shared_fifo, staying);
        lazult::pool says_move(pool_kind::shared_fifo, moving);
        lazult::pool says_nothing(pool_kind::shared_fifo);
        lazult::execution_stream a(scheduler_kind::basic, {&says_stay, &says_move, &says_nothing});
        lazult::execution_stream b(scheduler_kind::basic, {&says_stay, &says_move, &says_nothing});
        constexpr std::chrono::milliseconds while_it_stays(100);
        EXPECT_TRUE(moves_within(patience, says_move));
        EXPECT_FALSE(moves_within(while_it_stays, says_stay));
        if (process == started_kind::stay) {
            EXPECT_FALSE(moves_within(while_it_stays, says_nothing));
        } else {
            EXPECT_TRUE(moves_within(patience, says_nothing));
        }
    }
}

// The main thread's stream moves what has begun; the other one keeps it. So units move to it only.
TEST(stream_options, say_more_than_the_process_does) {
    const lazult::runtime running(
        {.streams = 1, .scheduler = scheduler_kind::work_stealing, .started = started_kind::move});
    const lazult::execution_stream keeps(lazult::stream_options{.started = started_kind::stay});
    const int its_rank = keeps.rank();
    std::atomic<int> began_there{0};
    std::atomic<int> wrong{0};
    const auto end = after(patience);
    while (began_there < 20 && !is_due(end)) {
        lazult::task_group all;
        for (int i = 0; i < 50; ++i) {
            all.run([&] {
                const bool is_there = this_thread::stream_rank() == its_rank;
                std::atomic<int> ignored{0};
                const stay_check check(is_there ? wrong : ignored);
                began_there += is_there;
                for (int round = 0; round < 20; ++round) {
                    this_thread::yield();
                    check.look();
                }
            });
        }
        all.wait();
    }
    EXPECT_GE(began_there, 20);
    EXPECT_EQ(wrong, 0);
}

}  // namespace
