// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/mutex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <lazult/condition_variable.hpp>
#include <lazult/error.hpp>
#include <lazult/shared_mutex.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>

#include "lazult/sync/sync.hpp"
#include "tests/support/code_of.hpp"

namespace {

using namespace std::chrono_literals;
using lazult::thread;

constinit lazult::mutex static_mutex;  // needs no constructor at run time

using lazult::support::code_of;

// Public objects are born as zeros.
template <class T>
bool is_zero_when_new() {
    alignas(T) std::byte memory[sizeof(T)];
    std::memset(memory, 0xff, sizeof(memory));
    T* made = new (memory) T;
    const std::byte zeros[sizeof(T)]{};
    const bool same = std::memcmp(memory, zeros, sizeof(T)) == 0;
    std::destroy_at(made);
    return same;
}

TEST(opaque, zeros_are_new_objects) {
    using namespace lazult::sync;
    EXPECT_TRUE(is_zero_when_new<lazult::sync::mutex>());
    EXPECT_TRUE(is_zero_when_new<condition>());
    EXPECT_TRUE(is_zero_when_new<rwlock>());
    // Its padding is left as it was; the fields are what counts.
    alignas(lazult::sync::recursive_mutex)
        std::byte memory[sizeof(lazult::sync::recursive_mutex)]{};
    const std::byte zeros[sizeof(memory)]{};
    new (memory) lazult::sync::recursive_mutex;
    EXPECT_EQ(std::memcmp(memory, zeros, sizeof(memory)), 0);
}

template <class Lock>
void excludes(Lock& lock) {
    int shared = 0;
    std::vector<thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 500; ++n) {
                const std::scoped_lock hold(lock);
                const int seen = shared;
                if (n % 50 == 0) {
                    lazult::this_thread::yield();
                }
                shared = seen + 1;
            }
        });
    }
    std::thread outside([&] {
        for (int n = 0; n < 500; ++n) {
            const std::lock_guard hold(lock);
            ++shared;
        }
    });
    lazult::join_many(threads);
    outside.join();
    EXPECT_EQ(shared, 4500);
}

TEST(mutex, excludes) { excludes(static_mutex); }
TEST(recursive_mutex, excludes) {
    lazult::recursive_mutex m;
    excludes(m);
}
TEST(shared_mutex, excludes) {
    lazult::shared_mutex m;
    excludes(m);
}

template <class Lock>
void times_out() {
    Lock m;
    m.lock();
    thread([&] {
        EXPECT_FALSE(m.try_lock());
        EXPECT_FALSE(m.try_lock_for(2ms));
        EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now() + 2ms));
        EXPECT_FALSE(m.try_lock_for(-1ms));
    }).join();
    m.unlock();
    thread([&] {
        EXPECT_TRUE(m.try_lock_for(1h));
        m.unlock();
        EXPECT_TRUE(m.try_lock_for(std::chrono::hours::max()));
        m.unlock();
    }).join();
}

TEST(mutex, times_out) { times_out<lazult::mutex>(); }
TEST(recursive_mutex, times_out) { times_out<lazult::recursive_mutex>(); }
TEST(shared_mutex, times_out) { times_out<lazult::shared_mutex>(); }

TEST(mutex, works_in_unique_lock) {
    lazult::mutex m;
    std::unique_lock lock(m, std::defer_lock);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock_for(1s));
}

TEST(mutex, in_tasklets) {
    lazult::mutex m;
    lazult::tasklet([&] {
        EXPECT_TRUE(m.try_lock());
        m.unlock();
        m.lock();  // it is free
        m.unlock();
    }).join();
    m.lock();
    lazult::errc code{};
    lazult::tasklet([&] {
        EXPECT_FALSE(m.try_lock());
        code = code_of([&] { m.lock(); });
    }).join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
    m.unlock();
}

TEST(recursive_mutex, is_locked_again_by_its_owner) {
    lazult::recursive_mutex m;
    m.lock();
    EXPECT_TRUE(m.try_lock());
    m.lock();
    thread([&] { EXPECT_FALSE(m.try_lock()); }).join();
    m.unlock();
    m.unlock();
    thread([&] { EXPECT_FALSE(m.try_lock()); }).join();
    m.unlock();
    thread([&] {
        EXPECT_TRUE(m.try_lock());
        m.unlock();
    }).join();
}

TEST(recursive_mutex_death, unlock_by_a_stranger) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            lazult::recursive_mutex m;
            m.unlock();
        },
        "recursive mutex");
}

TEST(shared_mutex, readers_share) {
    lazult::shared_mutex m;
    const std::shared_lock mine(m);
    thread([&] {
        EXPECT_TRUE(m.try_lock_shared());
        m.unlock_shared();
        EXPECT_TRUE(m.try_lock_shared_for(1h));
        m.unlock_shared();
        EXPECT_FALSE(m.try_lock());
    }).join();
}

TEST(shared_mutex, readers_see_whole_writes) {
    lazult::shared_mutex m;
    long a = 0;
    long b = 0;
    std::atomic<int> torn{0};
    std::vector<thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            for (int n = 0; n < 300; ++n) {
                if (i < 2) {
                    const std::unique_lock hold(m);
                    ++a;
                    lazult::this_thread::yield();
                    ++b;
                } else {
                    const std::shared_lock hold(m);
                    torn += a != b;
                }
            }
        });
    }
    lazult::join_many(threads);
    EXPECT_EQ(torn, 0);
    EXPECT_EQ(a, 600);
}

template <class Lock>
void passes_on() {
    Lock m;
    lazult::condition_variable changed;
    int turn = 0;
    std::vector<thread> threads;
    for (int me = 0; me < 4; ++me) {
        threads.emplace_back([&, me] {
            for (int n = 0; n < 100; ++n) {
                std::unique_lock lock(m);
                changed.wait(lock, [&] { return turn % 4 == me; });
                ++turn;
                changed.notify_all();
            }
        });
    }
    lazult::join_many(threads);
    EXPECT_EQ(turn, 400);
}

TEST(condition_variable, passes_turns_on) { passes_on<lazult::mutex>(); }
TEST(condition_variable, with_any_lock) { passes_on<lazult::recursive_mutex>(); }

TEST(condition_variable, notify_one_wakes_one) {
    lazult::mutex m;
    lazult::condition_variable changed;
    std::atomic<int> waiting{0};
    std::atomic<int> woken{0};
    std::vector<thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            std::unique_lock lock(m);
            ++waiting;
            changed.wait(lock);
            ++woken;
        });
    }
    const auto all_wait = [&] {
        const std::lock_guard hold(m);
        return waiting == 3;
    };
    while (!all_wait()) {
        lazult::this_thread::yield();
    }
    changed.notify_one();
    while (woken != 1) {
        lazult::this_thread::yield();
    }
    for (int i = 0; i < 100; ++i) {
        lazult::this_thread::yield();
    }
    EXPECT_EQ(woken, 1);
    changed.notify_all();
    lazult::join_many(threads);
    EXPECT_EQ(woken, 3);
}

TEST(condition_variable, times_out) {
    lazult::mutex m;
    lazult::condition_variable never;
    std::unique_lock lock(m);
    EXPECT_EQ(never.wait_for(lock, 2ms), std::cv_status::timeout);
    EXPECT_EQ(never.wait_until(lock, std::chrono::steady_clock::now() + 2ms),
              std::cv_status::timeout);
    EXPECT_FALSE(never.wait_for(lock, 2ms, [] { return false; }));
    EXPECT_TRUE(never.wait_for(lock, 1h, [] { return true; }));
    EXPECT_FALSE(
        never.wait_until(lock, std::chrono::system_clock::now() + 2ms, [] { return false; }));
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(m.try_lock());
}

TEST(condition_variable, stop_requests_end_waits) {
    lazult::mutex m;
    lazult::condition_variable never;
    for (int round = 0; round < 200; ++round) {
        thread t([&](std::stop_token stop) {
            std::unique_lock lock(m);
            EXPECT_FALSE(never.wait(lock, stop, [] { return false; }));
            EXPECT_TRUE(lock.owns_lock());
        });
        if (round % 2 == 0) {
            lazult::this_thread::yield();
        }
        t.request_stop();
        t.join();
    }
}

TEST(condition_variable, stoppable_waits_end_by_signals_and_by_time) {
    lazult::mutex m;
    lazult::condition_variable changed;
    bool ready = false;
    thread t([&](std::stop_token stop) {
        std::unique_lock lock(m);
        EXPECT_FALSE(changed.wait_for(lock, stop, 1ms, [] { return false; }));
        EXPECT_FALSE(
            changed.wait_until(lock, stop, std::chrono::steady_clock::now(), [] { return false; }));
        EXPECT_TRUE(changed.wait_for(lock, stop, 1h, [&] { return ready; }));
    });
    lazult::this_thread::sleep_for(5ms);
    {
        const std::lock_guard hold(m);
        ready = true;
    }
    changed.notify_one();
    t.wait();
    EXPECT_FALSE(t.get_stop_token().stop_requested());
    t.join();
}

TEST(condition_variable, in_tasklets) {
    lazult::mutex m;
    lazult::condition_variable changed;
    lazult::errc code{};
    lazult::tasklet([&] {
        std::unique_lock lock(m);
        code = code_of([&] { changed.wait(lock); });
        EXPECT_TRUE(lock.owns_lock());
        changed.notify_all();
    }).join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
    EXPECT_TRUE(m.try_lock());
    m.unlock();
}

TEST(mutex_death, an_unlock_that_no_lock_stands_for_is_reported) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        lazult::mutex().unlock(),
        "lazult: mutex 0x[0-9a-f]+: it is unlocked, and nobody has locked it; unlock it once");
    EXPECT_DEATH(
        {
            lazult::mutex m;
            const std::jthread other([] { std::this_thread::sleep_for(std::chrono::seconds(5)); });
            m.lock();
            m.unlock();
            m.unlock();
        },
        "nobody has locked it");
    EXPECT_DEATH(lazult::shared_mutex().unlock(),
                 "lazult: rwlock 0x[0-9a-f]+: it is unlocked, and no writer has locked it; ");
    EXPECT_DEATH(lazult::shared_mutex().unlock_shared(),
                 "it is unlocked for a reader, and none has locked it; ");
    EXPECT_DEATH(
        {
            lazult::shared_mutex m;
            m.lock();
            m.unlock_shared();
        },
        "it is unlocked for a reader, and none has locked it; ");
    EXPECT_DEATH(
        {
            lazult::shared_mutex m;
            m.lock_shared();
            m.unlock();
        },
        "it is unlocked, and no writer has locked it; ");
}

}  // namespace
