// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/thread_question.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include <atomic>
#include <thread>

#include "lazult/os/thread.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::os {
namespace {

constexpr std::int64_t patience_ns = 20'000'000'000;

std::atomic<int> heard{0};
void hear(int) { heard.fetch_add(1, std::memory_order_relaxed); }

// Before the first question of the process, as a program that handles the signal does.
struct earlier_handler {
    earlier_handler() { std::signal(SIGURG, hear); }
};
void have_earlier_handler() { static const earlier_handler there; }

struct asked_thread {
    std::atomic<int> id{0};
    std::atomic<bool> over{false};
    std::thread thread;

    explicit asked_thread(bool blocks)
        : thread([this, blocks] {
              if (blocks) {
                  sigset_t one;
                  ::sigemptyset(&one);
                  ::sigaddset(&one, SIGURG);
                  ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
              }
              // pairs with: number()
              id.store(static_cast<int>(thread_id()), std::memory_order_release);
              while (!over.load(std::memory_order_relaxed)) {
                  yield_thread();
              }
          }) {}
    ~asked_thread() {
        over.store(true, std::memory_order_relaxed);
        thread.join();
    }
    int number() {
        while (id.load(std::memory_order_acquire) == 0) {  // pairs with: its start
            yield_thread();
        }
        return id.load(std::memory_order_relaxed);
    }
};

// ThreadSanitizer puts signals off until the thread calls something that it watches.
class thread_question : public ::testing::Test {
protected:
    void SetUp() override {
        if (probe::tsan) {
            GTEST_SKIP() << "the sanitizer puts signals off";
        }
        have_earlier_handler();
    }
};

void who_are_you(void* answer) noexcept {
    *static_cast<int*>(answer) = static_cast<int>(thread_id());
}

TEST_F(thread_question, the_thread_that_is_asked_answers) {
    asked_thread one(false);
    asked_thread other(false);
    for (int i = 0; i < 20; ++i) {
        for (asked_thread* each : {&one, &other}) {
            int answer = 0;
            ASSERT_TRUE(ask_thread(each->number(), who_are_you, &answer, patience_ns));
            EXPECT_EQ(answer, each->number());
        }
    }
}

TEST_F(thread_question, one_that_blocks_the_signal_does_not_and_is_not_waited_for) {
    int answer = 0;
    {
        asked_thread deaf(true);
        EXPECT_FALSE(ask_thread(deaf.number(), who_are_you, &answer, 10'000'000));
    }
    EXPECT_EQ(answer, 0);
}

TEST_F(thread_question, no_thread_gives_no_answer) {
    int answer = 0;
    EXPECT_FALSE(ask_thread(0x3fffffff, who_are_you, &answer, patience_ns));
    EXPECT_EQ(answer, 0);
}

TEST_F(thread_question, what_others_send_goes_to_the_handler_that_was_there) {
    asked_thread one(false);
    int answer = 0;
    ASSERT_TRUE(ask_thread(one.number(), who_are_you, &answer, patience_ns));
    const int before = heard.load(std::memory_order_relaxed);
    std::raise(SIGURG);
    EXPECT_EQ(heard.load(std::memory_order_relaxed), before + 1);
}

}  // namespace
}  // namespace lazult::os
