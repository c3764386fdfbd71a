// SPDX-License-Identifier: BSD-3-Clause
// options::started = stay: what has begun stays on its stream, and other streams take what has not
// begun. The code under test is ordinary: it is compiled with -O2, and uses errno and thread_local
// variables before and after suspensions in one function.
#include <gtest/gtest.h>
#include <lazult/lazult.hpp>

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace {

using lazult::thread;
namespace this_thread = lazult::this_thread;

#define USES_ERRNO __attribute__((no_sanitize("thread")))

constexpr int streams = 4;

thread_local int of_os_thread = 0;

[[gnu::noinline]] const int* address_now() noexcept {
    asm volatile("");
    return &of_os_thread;
}

class started_units_stay : public testing::TestWithParam<lazult::technique> {
protected:
    const lazult::runtime running_{lazult::options{
        .streams = streams, .how = GetParam(), .started = lazult::started_kind::stay}};
    std::atomic<int> wrong_{0};

    // One of the many ways to suspend, in turn.
    void suspend(int i) {
        switch (i % 4) {
            case 0: this_thread::yield(); break;
            case 1: {
                const std::lock_guard hold(lock_);
                this_thread::yield();
                break;
            }
            case 2: thread([] { this_thread::yield(); }).join(); break;
            default: this_thread::sleep_for(std::chrono::microseconds(1)); break;
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
    // `first`: how the unit suspends for the first time.
    USES_ERRNO void use_thread_local(int first, int rounds) {
        const int* const kept = &of_os_thread;
        const auto began_in = std::this_thread::get_id();
        const int began_on = this_thread::stream_rank();
        for (int i = 0; i < rounds; ++i) {
            suspend(first + i);
            wrong_ += address_now() != kept || std::this_thread::get_id() != began_in ||
                      this_thread::stream_rank() != began_on;
        }
    }

private:
    lazult::mutex lock_;
};

TEST_P(started_units_stay, so_that_ordinary_code_keeps_errno) {
    lazult::task_group all;
    for (int i = 1; i <= 200; ++i) {
        all.run([this, i] { use_errno(1000 + i, 50); });
    }
    all.wait();
    EXPECT_EQ(wrong_, 0);
}

TEST_P(started_units_stay, so_that_addresses_of_thread_local_variables_hold) {
    std::vector<thread> all;
    for (int i = 0; i < 200; ++i) {
        all.emplace_back([this, i] { use_thread_local(i, 50); });
    }
    lazult::join_many(all);
    EXPECT_EQ(wrong_, 0);
}

// A unit that begins on another stream suspends there, and goes on there.
TEST_P(started_units_stay, and_other_streams_take_what_has_not_begun) {
    std::mutex lock;  // never held over a suspension
    std::set<int> began_on;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (began_on.size() < 2 && std::chrono::steady_clock::now() < end) {
        lazult::task_group all;
        for (int i = 0; i < 50; ++i) {
            all.run([&] {
                {
                    const std::lock_guard hold(lock);
                    began_on.insert(this_thread::stream_rank());
                }
                use_thread_local(0, 3);
                const auto until =
                    std::chrono::steady_clock::now() + std::chrono::microseconds(200);
                while (std::chrono::steady_clock::now() < until) {
                }
            });
        }
        all.wait();
    }
    EXPECT_GE(began_on.size(), 2U) << "no unit began on another stream";
    EXPECT_EQ(wrong_, 0);
}

// Units that wait by giving way do not keep others from beginning on their stream.
TEST_P(started_units_stay, and_those_that_give_way_let_others_begin) {
    std::atomic<int> begun{0};
    constexpr int count = 100;
    std::vector<thread> all;
    for (int i = 0; i < count; ++i) {
        all.emplace_back([&begun] {
            ++begun;
            while (begun < count) {
                this_thread::yield();
            }
        });
    }
    lazult::join_many(all);
    EXPECT_EQ(begun, count);
}

// Whichever thread wakes it: a unit that waits for another stream's unit goes on where it began.
TEST_P(started_units_stay, wherever_they_are_woken) {
    lazult::mutex lock;
    lazult::condition_variable changed;
    int turn = 0;
    constexpr int players = 8;
    std::vector<thread> all;
    for (int me = 0; me < players; ++me) {
        all.emplace_back([&, me] {
            const int began_on = this_thread::stream_rank();
            for (int round = 0; round < 100; ++round) {
                std::unique_lock hold(lock);
                changed.wait(hold, [&] { return turn % players == me; });
                ++turn;
                changed.notify_all();
                hold.unlock();
                wrong_ += this_thread::stream_rank() != began_on;
            }
        });
    }
    lazult::join_many(all);
    EXPECT_EQ(turn, players * 100);
    EXPECT_EQ(wrong_, 0);
}

// The second half may be stolen. The first one's caller goes on where it began.
TEST_P(started_units_stay, in_recursive_fork_joins) {
    struct recursion {
        static long fib(int n, std::atomic<int>& wrong) {
            if (n < 2) {
                return n;
            }
            const int* const kept = &of_os_thread;
            const int began_on = this_thread::stream_rank();
            long a = 0;
            thread child([&a, n, &wrong] { a = fib(n - 1, wrong); });
            const long b = fib(n - 2, wrong);
            child.join();
            wrong += this_thread::stream_rank() != began_on || address_now() != kept;
            return a + b;
        }
    };
    EXPECT_EQ(recursion::fib(18, wrong_), 2584);
    EXPECT_EQ(wrong_, 0);
}

INSTANTIATE_TEST_SUITE_P(each_technique, started_units_stay,
                         testing::Values(lazult::technique::full, lazult::technique::lazy_stack,
                                         lazult::technique::return_on_completion,
                                         lazult::technique::stack_separation,
                                         lazult::technique::scheduler_creation,
                                         lazult::technique::adaptive));

class with_started_units : public testing::Test {
protected:
    static lazult::options two_streams(lazult::started_kind started) {
        return {
            .streams = 2, .scheduler = lazult::scheduler_kind::work_stealing, .started = started};
    }
};

// A joiner runs its child in place, on its own stack, and the child suspends there.
TEST_F(with_started_units, a_joiner_stays_if_its_child_suspends_in_place) {
    const lazult::runtime running(two_streams(lazult::started_kind::stay));
    int wrong = 0;
    for (int round = 0; round < 200; ++round) {
        thread({.how = lazult::technique::scheduler_creation}, [&wrong] {
            const int began_on = this_thread::stream_rank();
            thread({.how = lazult::technique::scheduler_creation}, [] {
                this_thread::yield();
            }).join();
            for (int i = 0; i < 50; ++i) {
                this_thread::yield();
                wrong += this_thread::stream_rank() != began_on;
            }
        }).join();
    }
    EXPECT_EQ(wrong, 0);
}

// Its second life may begin anywhere.
TEST_F(with_started_units, a_revived_thread_may_begin_on_another_stream) {
    const lazult::runtime running(two_streams(lazult::started_kind::stay));
    std::set<int> began_on;
    thread lives;
    const auto live = [&began_on] {
        began_on.insert(this_thread::stream_rank());
        this_thread::yield();
    };
    lives = thread(live);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int round = 0; began_on.size() < 2 && std::chrono::steady_clock::now() < end; ++round) {
        lives.wait();
        lives.revive(live);
        const auto until =
            std::chrono::steady_clock::now() + std::chrono::microseconds(round % 2 * 300);
        while (std::chrono::steady_clock::now() < until) {  // this stream does not look for work
        }
    }
    lives.join();
    EXPECT_EQ(began_on.size(), 2U);
}

TEST_F(with_started_units, the_runtime_ends_when_those_that_gave_way_have_ended) {
    int ended = 0;
    {
        const lazult::runtime running(
            lazult::options{.streams = 1, .started = lazult::started_kind::stay});
        for (int i = 0; i < 10; ++i) {
            thread([&ended] {
                for (int round = 0; round < 5; ++round) {
                    this_thread::yield();
                }
                ++ended;
            }).detach();
        }
    }
    EXPECT_EQ(ended, 10);
}

TEST_F(with_started_units, fresh_ones_begin_under_each_scheduler) {
    for (const auto which : {lazult::scheduler_kind::basic, lazult::scheduler_kind::priority,
                             lazult::scheduler_kind::waiting}) {
        const lazult::runtime running(lazult::options{
            .streams = 1, .scheduler = which, .started = lazult::started_kind::stay});
        int begun = 0;
        std::vector<thread> all;
        for (int i = 0; i < 3; ++i) {
            all.emplace_back([&begun] {
                ++begun;
                while (begun < 3) {
                    this_thread::yield();
                }
            });
        }
        lazult::join_many(all);
        EXPECT_EQ(begun, 3);
    }
}

// Else the tests above would show nothing.
TEST_F(with_started_units, they_move_unless_they_are_to_stay) {
    const lazult::runtime running(two_streams(lazult::started_kind::move));
    std::atomic<int> moves{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (moves == 0 && std::chrono::steady_clock::now() < end) {
        lazult::task_group all;
        for (int i = 0; i < 50; ++i) {
            all.run([&moves] {
                const int began_on = this_thread::stream_rank();
                for (int round = 0; round < 20; ++round) {
                    this_thread::yield();
                    moves += this_thread::stream_rank() != began_on;
                }
            });
        }
        all.wait();
    }
    EXPECT_GT(moves, 0);
}

TEST_F(with_started_units, they_stay_until_the_program_migrates_them) {
    const lazult::runtime running(two_streams(lazult::started_kind::stay));
    lazult::pool to(lazult::pool_kind::shared_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&to});
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_moved{false};
    thread moves([&] {
        const int began_on = this_thread::stream_rank();
        has_begun = true;
        while (this_thread::stream_rank() == began_on) {
            this_thread::yield();
        }
        has_moved = true;
    });
    while (!has_begun) {
        this_thread::yield();
    }
    lazult::migrate(moves, to);
    moves.join();
    EXPECT_TRUE(has_moved);
}

}  // namespace
