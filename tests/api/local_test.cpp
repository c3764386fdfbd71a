// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/local.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>

namespace {

using lazult::thread;

std::atomic<int> destroyed{0};

struct noted {
    int value = 0;
    ~noted() { ++destroyed; }
};

TEST(local, each_thread_has_its_own) {
    destroyed = 0;
    lazult::local<noted> mine;
    EXPECT_FALSE(mine.has_value());
    mine->value = -1;
    std::atomic<int> wrong{0};
    std::vector<thread> threads;
    for (int i = 0; i < 50; ++i) {
        threads.emplace_back([&, i] {
            wrong += mine->value != 0;
            mine->value = i;
            lazult::this_thread::yield();
            wrong += (*mine).value != i;
        });
    }
    lazult::join_many(threads);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(destroyed, 50);
    EXPECT_EQ(mine.get().value, -1);
}

TEST(local, ends_with_the_thread) {
    destroyed = 0;
    {
        lazult::local<noted> mine;
        lazult::tasklet([&] { mine->value = 1; }).join();
        EXPECT_EQ(destroyed, 1);
        std::thread([&] { mine->value = 2; }).join();
        EXPECT_EQ(destroyed, 2);
        thread([&] {
            mine->value = 3;
            lazult::this_thread::exit();
        }).join();
        EXPECT_EQ(destroyed, 3);
        mine->value = 4;
    }
    EXPECT_EQ(destroyed, 4);
}

TEST(local, destructors_may_use_other_locals) {
    static lazult::local<int> count;
    static std::atomic<int> seen{0};
    struct chained {
        ~chained() { seen = ++*count; }
    };
    static lazult::local<chained> first;
    thread([] { first.get(); }).join();
    EXPECT_EQ(seen, 1);
}

TEST(thread_local_ptr, owns) {
    destroyed = 0;
    lazult::thread_local_ptr<noted> p;
    thread([&] {
        EXPECT_EQ(p.get(), nullptr);
        p.reset(new noted);
        p->value = 1;
        p.reset(new noted);
        EXPECT_EQ(destroyed, 1);
        delete p.release();
        EXPECT_FALSE(p);
        p.reset(new noted);
        EXPECT_EQ((*p).value, 0);
    }).join();
    EXPECT_EQ(destroyed, 3);
}

TEST(local, keys_are_not_confused) {
    for (int i = 0; i < 100; ++i) {
        lazult::local<int> one;
        EXPECT_EQ(one.get(), 0);
        one.get() = i + 1;
        thread([&] { EXPECT_EQ(one.get(), 0); }).join();
    }
}

}  // namespace
