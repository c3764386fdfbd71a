// SPDX-License-Identifier: BSD-3-Clause
// The core is one for all doors of a process: threads of the C++ door and units of this one wait
// for each other by suspending.
#include <lazult/eventual.hpp>
#include <lazult/mutex.hpp>
#include <lazult/runtime.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>

#include <mutex>

#include "support.hpp"

namespace lazult::testing {
namespace {

class SharedCore : public ::testing::Test {
protected:
    runtime abt_{1};  // first: both want the main thread, and this one insists
    lazult::runtime cpp_;
};

class eventual {
public:
    eventual() { EXPECT_EQ(ABT_eventual_create(0, &handle_), ABT_SUCCESS); }
    eventual(const eventual&) = delete;
    eventual& operator=(const eventual&) = delete;
    ~eventual() { EXPECT_EQ(ABT_eventual_free(&handle_), ABT_SUCCESS); }

    void wait() { EXPECT_EQ(ABT_eventual_wait(handle_, nullptr), ABT_SUCCESS); }
    void set() { EXPECT_EQ(ABT_eventual_set(handle_, nullptr, 0), ABT_SUCCESS); }

private:
    ABT_eventual handle_ = ABT_EVENTUAL_NULL;
};

TEST_F(SharedCore, ThreadsOfTheCppDoorSuspendInThisOne) {
    constexpr int count = 100;  // many more than streams
    std::vector<std::unique_ptr<eventual>> events;
    std::vector<lazult::thread> threads;
    std::atomic<int> waiting{0};
    for (int i = 0; i < count; ++i) {
        events.push_back(std::make_unique<eventual>());
        threads.emplace_back([&waiting, e = events.back().get()] {
            waiting.fetch_add(1, std::memory_order_relaxed);
            e->wait();
        });
    }
    // All of them have begun, so each has left its stream to the next.
    yield_until([&waiting] { return waiting.load(std::memory_order_relaxed) == count; });
    crowd units;
    for (auto& each : events) {
        units.ult(abt_.pool(1), [e = each.get()] { e->set(); });
    }
    for (lazult::thread& each : threads) {
        each.join();
    }
}

TEST_F(SharedCore, UltsSuspendInTheCppDoor) {
    lazult::mutex m;
    lazult::eventual<int> value;
    int sum = 0;
    crowd units;
    for (int i = 0; i < 50; ++i) {
        units.ult(abt_.pool(i % 2), [&] {
            const int got = value.wait();
            const std::lock_guard hold(m);
            ABT_thread_yield();  // holding it
            sum += got;
        });
    }
    lazult::thread setter([&value] { value.set(2); });
    setter.join();
    units.join();
    EXPECT_EQ(sum, 100);
}

TEST_F(SharedCore, ThreadsOfTheCppDoorCreateAndJoinUnits) {
    std::atomic<int> ran{0};
    lazult::thread other([this, &ran] {
        crowd units;
        for (int i = 0; i < 1000; ++i) {
            units.ult(abt_.pool(i % 2), [&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
            units.tasklet(abt_.pool(i % 2),
                          [&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
        }
    });
    yield_until([&ran] { return ran.load(std::memory_order_relaxed) == 2000; });
    other.join();
}

TEST_F(SharedCore, UltsCreateAndJoinThreadsOfTheCppDoor) {
    std::atomic<int> ran{0};
    crowd units;
    for (int i = 0; i < 50; ++i) {
        units.ult(abt_.pool(i % 2), [&ran] {
            lazult::thread t([&ran] {
                lazult::this_thread::yield();
                ran.fetch_add(1, std::memory_order_relaxed);
            });
            t.join();
        });
    }
    units.join();
    EXPECT_EQ(ran.load(std::memory_order_relaxed), 50);
}

TEST_F(SharedCore, MutexesOfThisDoorExcludeAllDoors) {
    ABT_mutex m = ABT_MUTEX_NULL;
    ASSERT_EQ(ABT_mutex_create(&m), ABT_SUCCESS);
    constexpr int rounds = 300;
    int inside = 0;
    int total = 0;
    const auto work = [&](const auto& yield) {
        for (int i = 0; i < rounds; ++i) {
            EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
            EXPECT_EQ(inside++, 0);
            yield();
            --inside;
            ++total;
            EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
        }
    };
    crowd units;
    for (int i = 0; i < 4; ++i) {
        units.ult(abt_.pool(i % 2), [&work] { work(&ABT_thread_yield); });
    }
    std::vector<lazult::thread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&work] { work(&lazult::this_thread::yield); });
    }
    units.thread([&work] { work(&std::this_thread::yield); });
    units.join();
    for (lazult::thread& each : threads) {
        each.join();
    }
    EXPECT_EQ(total, 7 * rounds);
    EXPECT_EQ(ABT_mutex_free(&m), ABT_SUCCESS);
}

// As it is to Argobots: a thread that the interface did not make.
TEST_F(SharedCore, ThreadsOfTheCppDoorAreExternal) {
    lazult::thread other([] {
        ABT_thread self = ABT_THREAD_NULL;
        ABT_xstream stream = ABT_XSTREAM_NULL;
        ABT_pool pool = ABT_POOL_NULL;
        int rank = 0;
        EXPECT_EQ(ABT_self_get_thread(&self), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(ABT_self_get_xstream(&stream), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(ABT_self_get_last_pool(&pool), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(ABT_self_get_xstream_rank(&rank), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(ABT_self_suspend(), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(ABT_self_yield(), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(ABT_thread_yield(), ABT_SUCCESS);
    });
    other.join();
}

TEST_F(SharedCore, TheCppDoorEndsWhileThisOneRuns) {
    std::atomic<bool> over{false};
    crowd units;
    units.ult(abt_.pool(1),
              [&over] { yield_until([&over] { return over.load(std::memory_order_relaxed); }); });
    {
        lazult::runtime second;
        lazult::thread([] {}).join();
    }
    over.store(true, std::memory_order_relaxed);
    units.join();
}

// Its thread is a stream of the other door's already.
TEST(SharedCoreRefusal, InitOnAStreamOfTheCppDoor) {
    lazult::runtime cpp;
    EXPECT_EQ(ABT_init(0, nullptr), ABT_ERR_OTHER);
    EXPECT_EQ(ABT_initialized(), ABT_ERR_UNINITIALIZED);
    lazult::thread([] {}).join();
    std::thread([] {
        EXPECT_EQ(ABT_init(0, nullptr), ABT_SUCCESS);
        EXPECT_EQ(ABT_finalize(), ABT_SUCCESS);
    }).join();
}

}  // namespace
}  // namespace lazult::testing
