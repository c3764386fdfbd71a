// SPDX-License-Identifier: BSD-3-Clause
// What must end the process, with words that help. Each death starts its own runtime in the dying
// child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <sys/wait.h>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

// What the process would have died of without us. A sanitizer has a handler of its own, which
// reports and exits.
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
        "lazult: stack overflow in ULT 0x[0-9a-f]+ .*entry function.*0x[0-9a-f]+.*stack of 65536 "
        "bytes.*LAZULT_STACK_SIZE";
    EXPECT_EXIT(overflow_in(technique::full), dies_of_segv, expected);
    EXPECT_EXIT(overflow_in(technique::lazy_stack), dies_of_segv, expected);
    EXPECT_EXIT(overflow_in(technique::return_on_completion), dies_of_segv, expected);
    EXPECT_EXIT(overflow_in(technique::stack_separation), dies_of_segv, expected);
}

TEST(stack_overflow_death, is_reported_on_a_schedulers_stack_too) {
    const auto on_host = [] {
        const runtime running(settings_for(1));
        unit u = spawn(pinned(), technique::scheduler_creation, [] { overflow(0); });
        suspend_for_a_moment();
        u.join();
    };
    EXPECT_EXIT(on_host(), dies_of_segv,
                "lazult: stack overflow in ULT 0x[0-9a-f]+ .*entry function.*stack of 65536 "
                "bytes.*LAZULT_STACK_SIZE");
}

TEST(stack_overflow_death, names_a_unit_that_its_joiner_called_on_the_main_threads_stack) {
    const char* const of_ult =
        "lazult: stack overflow in ULT 0x[0-9a-f]+ .*entry function 0x[0-9a-f]+.*its joiner called "
        "it on the stack of the main thread, whose [0-9]+ bytes are full at address "
        "0x[0-9a-f]+.*asked for 65536.*LAZULT_STACK_SIZE or the stack_size attribute";
    EXPECT_EXIT(overflow_in(technique::scheduler_creation), dies_of_segv, of_ult);
    EXPECT_EXIT(overflow_in(technique::run_to_completion), dies_of_segv,
                "lazult: stack overflow in tasklet .*main thread.*LAZULT_SCHEDULER_STACK_SIZE");
}

TEST(stack_overflow_death, tells_of_the_main_threads_own_code) {
    const auto in_main = [] {
        const runtime running(settings_for(1));
        overflow(0);
    };
    EXPECT_EXIT(in_main(), dies_of_segv,
                "lazult: stack overflow in the main thread's own code: its stack of [0-9]+ "
                "bytes.*ulimit -s");
}

TEST(stack_overflow_death, tells_of_an_os_threads_own_code) {
    const auto in_thread = [] {
        const runtime running(settings_for(1));
        std::thread([] {
            core::attach_worker();
            os::enter_fault_stack();
            overflow(0);
        }).join();
    };
    EXPECT_EXIT(in_thread(), dies_of_segv,
                "lazult: stack overflow in an OS thread's own code: its stack of [0-9]+ bytes.*its "
                "creator");
}

TEST(stack_overflow_death, says_what_a_small_unit_on_its_joiners_stack_asked_for) {
    const auto on_joiners = [] {
        const runtime running(settings_for(1));
        unit u =
            spawn(pinned(), core::unit_attributes(technique::lazy_stack, std::size_t{1} << 20), [] {
                unit child = spawn(pinned(), technique::scheduler_creation, [] { overflow(0); });
                child.join();
            });
        u.join();
    };
    EXPECT_EXIT(on_joiners(), dies_of_segv,
                "stack of 1048576 bytes is full.*called by its joiner and asked for 65536; raise "
                "LAZULT_STACK_SIZE");
}

TEST(stack_overflow_death, names_the_unit_where_main_calls_it_on_an_exact_stack) {
    const auto exactly = [] {
        base::settings s = settings_for(1);
        s.exact_stacks = true;
        const runtime running(s);
        unit u = spawn(pinned(), technique::adaptive, [] { overflow(0); });
        u.join();
    };
    EXPECT_EXIT(
        exactly(), dies_of_segv,
        "stack overflow in ULT .*stack of 65536 bytes is full at .*; raise LAZULT_STACK_SIZE");
}

TEST(stack_overflow_death, tells_of_a_schedulers_own_code) {
    const auto in_event = [] {
        const runtime running(settings_for(1));
        const core::stack* const its = [] {
            const core::stack* found = nullptr;
            unit u = spawn(pinned(), technique::scheduler_creation,
                           [&] { found = core::current_unit()->stk; });
            suspend_for_a_moment();
            u.join();
            return found;
        }();
        core::this_worker().current = nullptr;  // as in its loop
        *const_cast<volatile std::byte*>(its->low - 1) = std::byte{1};
    };
    EXPECT_EXIT(in_event(), dies_of_segv,
                "stack overflow in a scheduler's own code.*LAZULT_SCHEDULER_STACK_SIZE");
}

std::byte* their_stack = nullptr;
constexpr std::size_t their_stack_bytes = std::size_t{128} << 10;

void users_handler(int) {
    // Not a local's address, which AddressSanitizer may keep elsewhere.
    const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
    const bool is_theirs = here >= their_stack && here < their_stack + their_stack_bytes;
    std::_Exit(is_theirs ? 7 : 8);
}

TEST(stack_overflow_death, leaves_a_users_handler_and_signal_stack_in_force) {
    const auto handled = [] {
        static std::byte memory[their_stack_bytes];
        their_stack = memory;
        stack_t theirs{};
        theirs.ss_sp = memory;
        theirs.ss_size = sizeof memory;
        ::sigaltstack(&theirs, nullptr);
        struct sigaction action{};
        action.sa_handler = users_handler;
        action.sa_flags = SA_ONSTACK;
        ::sigaction(SIGSEGV, &action, nullptr);
        overflow_in(technique::scheduler_creation);
    };
    EXPECT_EXIT(handled(), testing::ExitedWithCode(7),
                "its joiner called it on the stack of the main thread");
}

TEST(stack_overflow_death, is_reported_on_other_streams) {
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
TEST(misuse_death, a_tasklet_that_suspends_is_reported) {
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
