// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the door share.
#pragma once

#include <abt.h>
#include <abtx.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/left_behind.hpp"

namespace lazult::testing {

inline void nothing(void*) {}

inline std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
inline long ms_since(std::chrono::steady_clock::time_point then) {
    return static_cast<long>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now() - then).count());
}

// A time of CLOCK_REALTIME.
inline timespec in_ms(long ms) {
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1'000'000;
    if (t.tv_nsec >= 1'000'000'000) {
        t.tv_nsec -= 1'000'000'000;
        ++t.tv_sec;
    }
    return t;
}

// The runtime, with so many streams besides the primary one, from here to the end of the scope.
// Nothing of it may be left then.
class runtime {
public:
    explicit runtime(int more_streams = 0) : streams_(static_cast<std::size_t>(more_streams)) {
        EXPECT_EQ(ABT_init(0, nullptr), ABT_SUCCESS);
        EXPECT_EQ(ABT_xstream_self(&primary_), ABT_SUCCESS);
        for (ABT_xstream& each : streams_) {
            EXPECT_EQ(ABT_xstream_create(ABT_SCHED_NULL, &each), ABT_SUCCESS);
        }
    }
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;
    ~runtime() {
        for (ABT_xstream& each : streams_) {
            EXPECT_EQ(ABT_xstream_free(&each), ABT_SUCCESS);
        }
        EXPECT_EQ(ABT_finalize(), ABT_SUCCESS);
        EXPECT_EQ(support::left_behind(before_), "");
    }

    // The first pool of the stream of this rank. Any caller gets the same.
    ABT_pool pool(int stream) const {
        const ABT_xstream x =
            stream == 0 ? primary_ : streams_[static_cast<std::size_t>(stream) - 1];
        ABT_pool p = ABT_POOL_NULL;
        EXPECT_EQ(ABT_xstream_get_main_pools(x, 1, &p), ABT_SUCCESS);
        return p;
    }
    int streams() const { return static_cast<int>(streams_.size()) + 1; }

private:
    support::held before_;
    ABT_xstream primary_ = ABT_XSTREAM_NULL;
    std::vector<ABT_xstream> streams_;
};

// Two streams that serve one pool.
class shared_streams {
public:
    explicit shared_streams(ABTX_started started = ABTX_STARTED_DEFAULT) {
        EXPECT_EQ(
            ABTX_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, started, ABT_FALSE, &pool_),
            ABT_SUCCESS);
        for (ABT_xstream& each : streams_) {
            EXPECT_EQ(
                ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool_, ABT_SCHED_CONFIG_NULL, &each),
                ABT_SUCCESS);
        }
    }
    shared_streams(const shared_streams&) = delete;
    shared_streams& operator=(const shared_streams&) = delete;
    ~shared_streams() {
        for (ABT_xstream& each : streams_) {
            EXPECT_EQ(ABT_xstream_free(&each), ABT_SUCCESS);
        }
        EXPECT_EQ(ABT_pool_free(&pool_), ABT_SUCCESS);
    }
    ABT_pool pool() const { return pool_; }

private:
    ABT_pool pool_ = ABT_POOL_NULL;
    ABT_xstream streams_[2] = {};
};

// ULTs, tasklets and OS threads, joined and freed at the end of the scope.
class crowd {
public:
    crowd() = default;
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;
    ~crowd() { join(); }

    ABT_thread ult(ABT_pool where, std::function<void()> body) {
        ABT_thread t = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_thread_create(where, call, keep(std::move(body)), ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        units_.push_back(t);
        return t;
    }
    ABT_task tasklet(ABT_pool where, std::function<void()> body) {
        ABT_task t = ABT_TASK_NULL;
        EXPECT_EQ(ABT_task_create(where, call, keep(std::move(body)), &t), ABT_SUCCESS);
        units_.push_back(t);
        return t;
    }
    void thread(std::function<void()> body) { threads_.emplace_back(std::move(body)); }

    void join() {
        for (ABT_thread& each : units_) {
            EXPECT_EQ(ABT_thread_free(&each), ABT_SUCCESS);
        }
        units_.clear();
        for (std::thread& each : threads_) {
            each.join();
        }
        threads_.clear();
        bodies_.clear();
    }

private:
    static void call(void* body) { (*static_cast<std::function<void()>*>(body))(); }
    void* keep(std::function<void()> body) {
        bodies_.push_back(std::make_unique<std::function<void()>>(std::move(body)));
        return bodies_.back().get();
    }

    std::vector<ABT_thread> units_;
    std::vector<std::thread> threads_;
    std::vector<std::unique_ptr<std::function<void()>>> bodies_;
};

inline void yield_until(const std::function<bool()>& holds) {
    const auto began = now();
    while (!holds() && ms_since(began) < 20'000) {
        ABT_thread_yield();
    }
    EXPECT_TRUE(holds());
}

}  // namespace lazult::testing
