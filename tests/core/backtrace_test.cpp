// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/backtrace.hpp"

#include <algorithm>
#include <csignal>
#include <string>

#include "lazult/core/observe/census.hpp"
#include "tests/support/runtime.hpp"

namespace lazult::support {
namespace {

// Where it was called from lies in its caller's code.
[[gnu::noinline]] void wait_in_here(work_unit** waiting, const void** return_address) {
    *return_address = __builtin_return_address(0);
    *waiting = core::current_unit();
    core::park();
    asm volatile("" ::: "memory");
}

bool names(const core::backtrace& frames, const void* place) {
    return std::find(frames.places.begin(), frames.places.begin() + frames.count, place) !=
           frames.places.begin() + frames.count;
}

TEST(backtrace, of_a_suspended_unit_of_each_technique_reaches_its_function) {
    if (probe::asan || probe::tsan || !arch::switches_in_tail_position) {
        GTEST_SKIP() << "no backtraces of suspended units in this build";
    }
    runtime one(1U);
    for (const technique how : suspending_techniques) {
        SCOPED_TRACE(name_of(how));
        work_unit* waiting = nullptr;
        const void* caller = nullptr;
        int steps = 0;
        unit u = spawn(pinned(), core::unit_attributes(how, 64 << 10), [&] {
            wait_in_here(&waiting, &caller);
            ++steps;
        });
        core::yield();
        ASSERT_NE(waiting, nullptr);
        for (int look = 0; look < 3; ++look) {  // which the unit does not notice
            core::backtrace frames;
            EXPECT_EQ(core::capture_suspended(*waiting, frames), nullptr);
            EXPECT_TRUE(names(frames, caller));
            EXPECT_GE(frames.count, 3U);
        }
        core::unpark(waiting);
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(steps, 1);
    }
}

TEST(backtrace, says_why_there_is_none) {
    runtime one(1U);
    unit fresh(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
    core::backtrace frames;
    EXPECT_STREQ(core::capture_suspended(*fresh.get(), frames), "it has not started");
    EXPECT_EQ(frames.count, 0U);
    fresh.launch();
    fresh.join();
}

core::backtrace interrupted;
void on_signal(int) { core::capture_interrupted(interrupted); }

[[gnu::noinline]] const void* raise_here() {
    std::raise(SIGUSR1);
    return __builtin_return_address(0);
}

TEST(backtrace, of_what_a_signal_interrupted_leaves_the_handler_out) {
    const auto before = std::signal(SIGUSR1, on_signal);
    const void* caller = raise_here();
    std::signal(SIGUSR1, before);
    EXPECT_TRUE(names(interrupted, caller));
    std::string text;
    core::append_lines(text, interrupted, "");
    EXPECT_EQ(text.find("capture_interrupted"), std::string::npos) << text;
    EXPECT_EQ(text.find("#0 "), 0U) << text;
}

TEST(backtrace, describes_functions_that_the_linker_knows_by_name) {
    const std::string text = core::describe_function(reinterpret_cast<const void*>(&::getpid));
    // Without position-independent code a function of a library's is known by a place in the
    // program.
    EXPECT_TRUE(text.find("getpid") != std::string::npos || text.find("+0x") != std::string::npos)
        << text;
    EXPECT_EQ(core::describe_place(nullptr, false), "0x0");
}

TEST(census, sees_the_units_that_there_are) {
    runtime one(1U);
    const core::unit_census before = core::count_units();
    work_unit* waiting = nullptr;
    unit u = spawn(pinned(), technique::lazy_stack, [&] {
        waiting = core::current_unit();
        core::park();
    });
    unit fresh(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
    core::yield();
    EXPECT_EQ(core::count_units().units, before.units + 2);
    EXPECT_EQ(core::count_units().with_stack, before.with_stack + 1);
    EXPECT_NE(core::number_of(*waiting), core::number_of(*fresh.get()));
    core::unpark(waiting);
    u.join();
    EXPECT_EQ(core::count_units().units, before.units + 1) << "those that have ended do not count";
    fresh.launch();
    fresh.join();
}

}  // namespace
}  // namespace lazult::support
