// SPDX-License-Identifier: BSD-3-Clause
// What must end the process, with words that help. Each death starts its own runtime in the dying child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

#include <sys/wait.h>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

// What the process would have died of without us. A sanitizer has a handler of its own, which reports and exits.
bool dies_of_segv(int status) {
    if (probe::asan || probe::tsan) {
        return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

// Ends for a compiler only.
[[gnu::noinline]] int overflow(int depth) {
    if (depth < 0) {
        return 0;
    }
    volatile char frame[256];
    std::memset(const_cast<char*>(frame), depth, sizeof frame);
    const int below = overflow(depth + 1);
    return below + frame[depth % 256];
}

void overflow_in(technique how) {
    base::settings s = settings_for(1);
    s.stack_size = std::size_t{64} << 10;
    const runtime running(s);
    unit u = spawn(pinned(), how, [] { overflow(0); });
    u.join();
}

TEST(stack_overflow_death, names_ult_entry_size_and_setting) {
    const char* const expected =
        "lazult: stack overflow in ULT 0x[0-9a-f]+ .*entry function.*0x[0-9a-f]+.*stack of 65536 bytes.*LAZULT_STACK_SIZE";
    EXPECT_EXIT(overflow_in(technique::full), dies_of_segv, expected);
    EXPECT_EXIT(overflow_in(technique::lazy_stack), dies_of_segv, expected);
    EXPECT_EXIT(overflow_in(technique::return_on_completion), dies_of_segv, expected);
    EXPECT_EXIT(overflow_in(technique::stack_separation), dies_of_segv, expected);
}

// On the scheduler's stack, which is twice as large.
TEST(stack_overflow_death, is_told_on_a_schedulers_stack_too) {
    const auto on_host = [] {
        const runtime running(settings_for(1));
        unit u = spawn(pinned(), technique::scheduler_creation, [] { overflow(0); });
        suspend_for_a_moment();
        u.join();
    };
    EXPECT_EXIT(on_host(), dies_of_segv, "lazult: stack overflow in ULT 0x[0-9a-f]+ .*entry function.*LAZULT_.*STACK_SIZE");
}

TEST(stack_overflow_death, is_told_on_other_streams) {
    const auto elsewhere = [] {
        const runtime running(settings_for(2));
        sched::stream* other = sched::stream_at(1);
        unit u = spawn(*other->pinned(), technique::lazy_stack, [] { overflow(0); });
        u.join();
    };
    EXPECT_EXIT(elsewhere(), dies_of_segv, "lazult: stack overflow in ULT");
}

TEST(stack_overflow_death, a_canary_tells_afterwards) {
    const auto with_canary = [] {
        base::settings s = settings_for(1);
        s.guard = base::guard_kind::canary;
        const runtime running(s);
        unit u = spawn(pinned(), technique::lazy_stack, [] {
            // Just below the stack, as an overflow by a little would.
            const core::stack& mine = *core::current_unit()->stk;
            std::memset(mine.low - 64, 1, 64);
        });
        u.join();
    };
    EXPECT_DEATH(with_canary(), "overflow.*LAZULT_STACK_SIZE");
}

void suspend_in_tasklet(technique how) {
    const runtime running;
    unit u = spawn(pinned(), how, [] { suspend_for_a_moment(); });
    u.join();
}
TEST(misuse_death, a_tasklet_that_suspends_is_told_so) {
    EXPECT_DEATH(suspend_in_tasklet(technique::run_to_completion), "lazult: .*tasklet");
    const auto parks = [] {
        const runtime running;
        unit u = spawn(pinned(), technique::run_to_completion, [] { core::park(); });
        suspend_for_a_moment();
        u.join();
    };
    EXPECT_DEATH(parks(), "lazult: .*tasklet");
}

TEST(misuse_death, an_exception_that_nobody_catches_ends_the_process) {
    for (const technique how : all_techniques) {
        const auto throws = [how] {
            const runtime running;
            unit u = spawn(pinned(), how, [] { throw 42; });
            u.join();
        };
        EXPECT_DEATH(throws(), "");
    }
}

TEST(misuse_death, the_runtime_after_its_end) {
    const auto late = [] {
        sched::ensure_runtime();
        sched::stop_runtime(true);
        sched::ensure_runtime();
    };
    EXPECT_DEATH(late(), "lazult: runtime: .*stopped");
}

}  // namespace
