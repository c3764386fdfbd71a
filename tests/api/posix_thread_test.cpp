// SPDX-License-Identifier: BSD-3-Clause
// pthread_exit() in a ULT ends that ULT; pthread_cancel() of a stream's OS thread does nothing.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "lazult/probe/probe.hpp"
#include "tests/api/techniques.hpp"

namespace {

namespace this_thread = lazult::this_thread;
using lazult::thread;
using lazult::thread_attributes;
using lazult::api_test::suspending_techniques;

struct witness {
    std::atomic<int>* destroyed;
    ~witness() { ++*destroyed; }
};

// Sanitizers take the unwinding for the end of the OS thread.
constexpr bool is_watched = lazult::probe::asan || lazult::probe::tsan;

TEST(pthread_exit, ends_a_thread_of_each_technique) {
    if (is_watched) {
        GTEST_SKIP() << "a sanitizer intercepts pthread_exit()";
    }
    for (const lazult::technique how : suspending_techniques) {
        for (const bool yields : {false, true}) {
            std::atomic<int> destroyed{0};
            std::atomic<bool> went_on{false};
            thread t(thread_attributes{.how = how}, [&] {
                const witness here{&destroyed};
                if (yields) {
                    this_thread::yield();
                }
                ::pthread_exit(nullptr);
                went_on = true;
            });
            t.join();
            EXPECT_EQ(destroyed, 1);
            EXPECT_FALSE(went_on);
        }
    }
}

TEST(pthread_exit, leaves_the_stream_as_it_was) {
    if (is_watched) {
        GTEST_SKIP() << "a sanitizer intercepts pthread_exit()";
    }
    std::atomic<int> destroyed{0};
    std::atomic<int> caught{0};
    for (int round = 0; round < 100; ++round) {
        std::vector<thread> all;
        for (int i = 0; i < 20; ++i) {
            all.emplace_back([&, i] {
                const witness here{&destroyed};
                if (i % 4 == 0) {
                    ::pthread_exit(nullptr);
                }
                try {
                    this_thread::yield();
                    throw i;
                } catch (int) {
                    ++caught;
                }
            });
        }
        lazult::join_many(all);
    }
    EXPECT_EQ(destroyed, 2000);
    EXPECT_EQ(caught, 1500);
}

TEST(pthread_exit, ends_a_task_and_an_asynchronous_call) {
    if (is_watched) {
        GTEST_SKIP() << "a sanitizer intercepts pthread_exit()";
    }
    std::atomic<int> destroyed{0};
    lazult::task_group group;
    group.run([&] {
        const witness here{&destroyed};
        ::pthread_exit(nullptr);
    });
    group.wait();
    EXPECT_EQ(destroyed, 1);
    lazult::future<int> f = lazult::async([&]() -> int {
        const witness here{&destroyed};
        ::pthread_exit(nullptr);
    });
    EXPECT_THROW(f.get(), std::future_error) << "its promise is broken";
    EXPECT_EQ(destroyed, 2);
}

// write() is a point of cancellation.
TEST(pthread_cancel, of_a_streams_thread_does_nothing) {
    lazult::pool own(lazult::pool_kind::shared_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&own});
    std::atomic<int> went_on{0};
    for (int i = 0; i < 5; ++i) {
        thread t(thread_attributes{.where = &own}, [&] {
            ::pthread_cancel(::pthread_self());
            [[maybe_unused]] const auto written = ::write(STDERR_FILENO, "", 0);
            this_thread::yield();
            ::pthread_testcancel();
            ++went_on;
        });
        t.join();
    }
    EXPECT_EQ(went_on, 5);
}

}  // namespace
