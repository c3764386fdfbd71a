// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/thread_states.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "lazult/os/futex.hpp"
#include "lazult/os/thread.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::os {
namespace {

// A thread, and its number.
class subject {
public:
    explicit subject(std::function<void()> body)
        : thread_([this, mine = std::move(body)] {
              // pairs with: id()
              id_.store(static_cast<int>(thread_id()), std::memory_order_release);
              mine();
          }) {}
    ~subject() { thread_.join(); }

    int id() {
        while (id_.load(std::memory_order_acquire) == 0) {  // pairs with: its start
            std::this_thread::yield();
        }
        return id_.load(std::memory_order_relaxed);
    }

    thread_look look() {
        for (const thread_look& each : look_at_other_threads()) {
            if (each.id == id()) {
                return each;
            }
        }
        ADD_FAILURE() << "it is not among the threads";
        return {};
    }
    // Until it is so, or much time is over.
    bool is_soon(bool asleep) {
        for (int i = 0; i < 5000; ++i) {
            if (look().sleeps_for_good == asleep) {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
    }

private:
    std::atomic<int> id_{0};
    std::thread thread_;
};

bool can_look() {
    std::atomic<std::uint32_t> word{0};
    subject any([&] { futex_wait(word, 0, -1); });
    const bool can = !look_at_other_threads().empty();
    any.id();
    word.store(1, std::memory_order_seq_cst);
    futex_wake(word, 1);
    return can;
}

TEST(thread_states, one_at_a_futex_without_a_deadline_sleeps_for_good) {
    if (!can_look()) {
        GTEST_SKIP() << "the system does not say what threads do";
    }
    std::atomic<std::uint32_t> word{0};
    subject sleeper([&] {
        while (word.load(std::memory_order_acquire) == 0) {  // pairs with: the store below
            futex_wait(word, 0, -1);
        }
    });
    EXPECT_TRUE(sleeper.is_soon(true));
    const thread_look before = sleeper.look();
    EXPECT_EQ(sleeper.look(), before);
    futex_wake(word, 1);  // it looks, and sleeps again
    for (int i = 0; i < 5000 && sleeper.look().switches == before.switches; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(sleeper.look().switches, before.switches);
    word.store(1, std::memory_order_release);  // pairs with: its load
    futex_wake(word, 1);
}

TEST(thread_states, one_that_joins_another_sleeps_for_good) {
    if (!can_look()) {
        GTEST_SKIP() << "the system does not say what threads do";
    }
    std::atomic<std::uint32_t> word{0};
    std::thread target([&] {
        while (word.load(std::memory_order_acquire) == 0) {  // pairs with: the store below
            futex_wait(word, 0, -1);
        }
    });
    subject joiner([&] { target.join(); });
    EXPECT_TRUE(joiner.is_soon(true));
    word.store(1, std::memory_order_release);  // pairs with: its load
    futex_wake(word, 1);
}

TEST(thread_states, one_that_has_a_deadline_or_computes_or_sleeps_does_not) {
    if (!can_look()) {
        GTEST_SKIP() << "the system does not say what threads do";
    }
    std::atomic<bool> over{false};
    std::atomic<std::uint32_t> word{0};
    subject timed([&] {
        while (!over.load(std::memory_order_relaxed)) {
            futex_wait(word, 0, 3'000'000'000'000'000'000);
        }
    });
    subject computing([&] {
        while (!over.load(std::memory_order_relaxed)) {
        }
    });
    subject sleeping([&] {
        while (!over.load(std::memory_order_relaxed)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    });
    for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(timed.look().sleeps_for_good);
        EXPECT_FALSE(computing.look().sleeps_for_good);
        EXPECT_FALSE(sleeping.look().sleeps_for_good);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    over.store(true, std::memory_order_relaxed);
    while (futex_wake(word, 1) == 0) {
        std::this_thread::yield();
    }
}

TEST(thread_states, the_caller_is_not_among_them) {
    const std::vector<thread_look> all = look_at_other_threads();
    EXPECT_TRUE(std::none_of(all.begin(), all.end(), [](const thread_look& each) {
        return each.id == static_cast<int>(thread_id());
    }));
}

TEST(thread_states, a_handler_for_a_signal_from_outside_may_wake_somebody) {
    if (probe::tsan) {
        GTEST_SKIP() << "the sanitizer handles signals of its own";
    }
    EXPECT_FALSE(may_be_woken_by_signals());
    const auto before = std::signal(SIGUSR1, [](int) {});
    EXPECT_TRUE(may_be_woken_by_signals());
    std::signal(SIGUSR1, before);
    EXPECT_FALSE(may_be_woken_by_signals());
}

TEST(thread_states, memory_that_is_not_there_is_not_read) {
    const int there = 42;
    int copy = 0;
    EXPECT_TRUE(read_memory(&there, &copy, sizeof copy));
    EXPECT_EQ(copy, 42);
    EXPECT_FALSE(read_memory(nullptr, &copy, sizeof copy));
    EXPECT_FALSE(read_memory(reinterpret_cast<const void*>(std::uintptr_t{1} << 40 | 4096), &copy,
                             sizeof copy));
    EXPECT_EQ(copy, 42);
}

}  // namespace
}  // namespace lazult::os
