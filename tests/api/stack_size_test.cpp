// SPDX-License-Identifier: BSD-3-Clause
// A function that fits its stack survives. One that does not ends the program with a message about
// the overflow. What ran before and which thread starts the function make no difference.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <vector>

#include <sys/wait.h>

namespace {

using lazult::technique;
using lazult::thread;
using lazult::thread_attributes;

[[gnu::noinline]] int use(int kib) {
    volatile char frame[1024];
    frame[0] = 1;
    return kib <= 1 ? frame[0] : use(kib - 1) + frame[0];
}

// About so many, frames and all.
void use_and_suspend(int kib, int yields) {
    for (int i = 0; i < yields; ++i) {
        lazult::this_thread::yield();
    }
    use(kib * 15 / 16);
}

constexpr int fitting = 55;    // of 64 KiB, seven eighths of which are the thread's
constexpr int excessive = 90;  // more than that, and less than twice as much

// Started by schedulers, as their joiner waits for all at once.
void batch(const thread_attributes& how, int kib, int yields) {
    std::vector<thread> all;
    for (int i = 0; i < 100; ++i) {
        all.emplace_back(how, use_and_suspend, kib, yields);
    }
    lazult::join_many(all);
}

// Called by their joiners, which are ULTs.
void batch_of_pairs(int kib) {
    std::vector<thread> all;
    for (int i = 0; i < 100; ++i) {
        all.emplace_back([kib] { thread(use_and_suspend, kib, 0).join(); });
    }
    lazult::join_many(all);
}

void suspend_for_long() {
    for (int i = 0; i < 100; ++i) {
        batch({}, 1, 1);
    }
}

bool dies_of_overflow(int status) {
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);  // a sanitizer exits by itself
}
const char* const told = "stack overflow in ULT .*stack of 65536 bytes|stack-overflow";

class stack_size : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(stack_size, a_function_that_fits_lives_whatever_ran_before) {
    for (const unsigned streams : {1U, 2U, 4U}) {
        EXPECT_EXIT(
            {
                const lazult::runtime running({.streams = static_cast<int>(streams)});
                batch({}, fitting, 0);
                batch_of_pairs(fitting);
                suspend_for_long();
                batch({}, fitting, 0);
                batch({}, fitting, 1);
                batch_of_pairs(fitting);
                std::exit(0);
            },
            testing::ExitedWithCode(0), "");
    }
}

TEST_F(stack_size, a_function_that_fits_lives_by_each_technique) {
    EXPECT_EXIT(
        {
            const lazult::runtime running({.streams = 2});
            for (int how = 0; how <= static_cast<int>(technique::adaptive); ++how) {
                batch({.how = static_cast<technique>(how)}, fitting, 0);
                batch({.how = static_cast<technique>(how), .stack_size = 1 << 20}, 7 * 1024 / 8, 0);
            }
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(stack_size, a_function_that_does_not_fit_dies_without_any_history) {
    EXPECT_EXIT(
        {
            const lazult::runtime running({.streams = 1});
            batch({}, excessive, 0);
            std::exit(0);
        },
        dies_of_overflow, told);
}

TEST_F(stack_size, a_function_that_does_not_fit_dies_after_some_history) {
    EXPECT_EXIT(
        {
            const lazult::runtime running({.streams = 1});
            suspend_for_long();
            batch({}, excessive, 0);
            std::exit(0);
        },
        dies_of_overflow, told);
}

TEST_F(stack_size, a_function_that_does_not_fit_dies_by_each_technique) {
    for (int how = 0; how <= static_cast<int>(technique::adaptive); ++how) {
        EXPECT_EXIT(
            {
                const lazult::runtime running({.streams = 1});
                batch({.how = static_cast<technique>(how)}, excessive, 0);
                std::exit(0);
            },
            dies_of_overflow, "stack overflow in .*stack of 65536 bytes|stack-overflow")
            << lazult::name(static_cast<technique>(how));
    }
}

TEST_F(stack_size, a_function_that_does_not_fit_dies_where_a_ult_joins_it) {
    EXPECT_EXIT(
        {
            const lazult::runtime running({.streams = 1});
            batch_of_pairs(excessive);
            std::exit(0);
        },
        dies_of_overflow, told);
}

TEST_F(stack_size, a_function_that_does_not_fit_dies_where_main_joins_it_if_stacks_are_exact) {
    EXPECT_EXIT(
        {
            setenv("LAZULT_EXACT_STACKS", "1", 1);
            const lazult::runtime running({.streams = 1});
            thread(use_and_suspend, excessive, 0).join();
            std::exit(0);
        },
        dies_of_overflow, told);
    EXPECT_EXIT(
        {
            const lazult::runtime running({.streams = 1});
            thread(use_and_suspend, excessive, 0)
                .join();  // main's stack has more: this is said where stack_size is
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

// Ends for a compiler only.
[[gnu::noinline]] int recurse_for_ever(int depth) {
    volatile char frame[512];
    frame[0] = static_cast<char>(depth);
    return depth < 0 ? frame[0] : recurse_for_ever(depth + 1) + frame[0];
}

TEST_F(stack_size, an_overflow_names_the_thread_wherever_it_was_joined) {
    EXPECT_EXIT(
        {
            const lazult::runtime running({.streams = 1});
            thread(thread_attributes{.name = "rpc-worker-7"}, [] { recurse_for_ever(0); }).join();
        },
        dies_of_overflow,
        "ULT 0x[0-9a-f]+ \"rpc-worker-7\" .*entry function 0x.*main thread.*stack_size "
        "attribute|stack-overflow");
    EXPECT_EXIT(
        {
            const lazult::runtime running({.streams = 1});
            thread one(thread_attributes{.how = technique::full,
                                         .name = "a name of thirty-one characters"},
                       [] { recurse_for_ever(0); });
            one.join();
        },
        dies_of_overflow,
        "\"a name of thirty-one characters\" .*stack of 65536 "
        "bytes.*LAZULT_STACK_SIZE|stack-overflow");
}

}  // namespace
