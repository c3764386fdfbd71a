// SPDX-License-Identifier: BSD-3-Clause
// What docs/thread-locals.md promises of errno, in ordinary code that is compiled with -O2.
#include <gtest/gtest.h>
#include <lazult/lazult.hpp>

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <thread>
#include <vector>

namespace {

using lazult::thread;
namespace this_thread = lazult::this_thread;

// ThreadSanitizer takes the errno of an OS thread, which its ULTs share in turns, for their common
// variable.
#define USES_ERRNO __attribute__((no_sanitize("thread")))
#define USES_ERRNO_ALONE __attribute__((noinline, no_sanitize("thread")))

std::atomic<int> lost{0};

// Ordinary code: errno is used before and after a suspension in one function, and in one loop.
USES_ERRNO void suspend_between_uses(int value, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        errno = value;
        this_thread::yield();
        lost += errno != value;
        errno = 0;
        this_thread::yield();
        lost += ::open("/nonexistent", O_RDONLY) >= 0 || errno != ENOENT;
    }
}

// Functions that use errno and do not suspend.
USES_ERRNO_ALONE void set_errno(int value) { errno = value; }
USES_ERRNO_ALONE bool errno_is(int value) { return errno == value; }
USES_ERRNO_ALONE bool is_missing(const char* path) {
    return ::open(path, O_RDONLY) < 0 && errno == ENOENT;
}

void suspend_between_calls(int value, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        set_errno(value);
        this_thread::yield();
        lost += !errno_is(value);
        this_thread::yield();
        lost += !is_missing("/nonexistent");
    }
}

std::vector<thread> start_in(lazult::pool& where, int count) {
    std::vector<thread> all;
    for (int i = 1; i <= count; ++i) {
        all.emplace_back(lazult::thread_attributes{.where = &where},
                         [i] { suspend_between_uses(1000 + i, 200); });
    }
    return all;
}

TEST(plain_errno, ordinary_code_keeps_it_in_a_pool_of_one_stream) {
    lost = 0;
    lazult::pool pools[] = {lazult::pool(lazult::pool_kind::shared_fifo),
                            lazult::pool(lazult::pool_kind::private_fifo)};
    lazult::execution_stream first(lazult::scheduler_kind::basic, {&pools[0]});
    lazult::execution_stream second(lazult::scheduler_kind::basic, {&pools[1]});
    std::vector<thread> some = start_in(pools[0], 20);
    std::vector<thread> others = start_in(pools[1], 20);
    lazult::join_many(some);
    lazult::join_many(others);
    EXPECT_EQ(lost, 0);
}

// A user's pool with ordinary functions in it, which change errno.
class noisy_pool final : public lazult::custom_pool {
public:
    void push(lazult::thread_id unit) noexcept override {
        units_.push_back(unit);
        set_errno(EIO);
    }
    lazult::thread_id pop() noexcept override {
        set_errno(EBUSY);
        if (units_.empty()) {
            return {};
        }
        const lazult::thread_id unit = units_.front();
        units_.pop_front();
        return unit;
    }
    std::size_t count() const noexcept override {
        set_errno(EAGAIN);
        return units_.size();
    }

private:
    std::deque<lazult::thread_id> units_;
};

TEST(plain_errno, is_kept_beside_a_users_pool) {
    lost = 0;
    noisy_pool noisy;
    lazult::pool quiet(lazult::pool_kind::private_fifo);
    std::vector<thread> all = start_in(noisy, 5);  // before the stream: the pool has no lock
    {
        lazult::execution_stream both(lazult::scheduler_kind::basic, {&quiet, &noisy});
        std::vector<thread> others = start_in(quiet, 5);
        lazult::join_many(others);
        lazult::join_many(all);
    }
    EXPECT_EQ(lost, 0);
}

TEST(plain_errno, functions_that_do_not_suspend_find_it_wherever_a_thread_goes_on) {
    lost = 0;
    std::atomic<long> moves{0};
    lazult::runtime runtime({.streams = 2, .started = lazult::started_kind::move});
    for (int round = 0; round < 200 && moves < 10; ++round) {
        lazult::task_group all;
        for (int i = 1; i <= 50; ++i) {
            all.run([i, &moves] {
                const int began_on = this_thread::stream_rank();
                suspend_between_calls(1000 + i, 20);
                moves += this_thread::stream_rank() != began_on;
            });
        }
        all.wait();
    }
    EXPECT_EQ(lost, 0);
    EXPECT_GT(moves, 0) << "no thread changed its stream, so nothing was tested";
}

// The hazard that the page warns of: an address that is kept over a suspension belongs to the OS
// thread before.
__attribute__((noinline)) int* address_of_errno() {
    asm volatile("");
    return &errno;
}

TEST(plain_errno, an_address_that_is_kept_over_a_move_is_another_os_threads) {
    lazult::pool from(lazult::pool_kind::shared_fifo);
    lazult::pool to(lazult::pool_kind::shared_fifo);
    lazult::execution_stream first(lazult::scheduler_kind::basic, {&from});
    lazult::execution_stream second(lazult::scheduler_kind::basic, {&to});
    std::atomic<bool> started{false};
    const int* before = nullptr;
    const int* after = nullptr;
    bool kept = false;
    thread moves(lazult::thread_attributes{.where = &from}, [&] {
        const int began_on = this_thread::stream_rank();
        before = address_of_errno();
        started = true;
        set_errno(4711);
        while (this_thread::stream_rank() == began_on) {
            this_thread::yield();
        }
        after = address_of_errno();
        kept = errno_is(4711);
    });
    while (!started) {
        this_thread::yield();
    }
    lazult::migrate(moves, to);
    moves.join();
    EXPECT_NE(before, after);
    EXPECT_TRUE(kept) << "the value goes with the thread";
}

}  // namespace
