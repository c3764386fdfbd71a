// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/arch/cpu.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

#include "context_fixture.hpp"

namespace {

using namespace lazult;

TEST(cpu, the_spin_hint_returns) {
    for (int i = 0; i < 100; ++i) {
        arch::pause();
    }
}

TEST(cpu, the_cycle_counter_grows_or_is_absent) {
    const std::uint64_t first = arch::read_tsc();
    for (int i = 0; i < 1000; ++i) {
        arch::pause();
    }
    const std::uint64_t second = arch::read_tsc();
    EXPECT_TRUE(second > first || (first == 0 && second == 0));
}

[[gnu::noinline]] const std::byte* deeper(const std::byte** caller) {
    *caller = arch::stack_position();
    struct local {
        [[gnu::noinline]] static const std::byte* position() { return arch::stack_position(); }
    };
    const std::byte* result = local::position();
    asm volatile("" : "+r"(result));
    return result;
}

TEST(cpu, a_deeper_frame_has_a_lower_position) {
    const std::byte* caller = nullptr;
    const std::byte* callee = deeper(&caller);
    EXPECT_LT(callee, caller);
}

TEST(cpu, changed_arithmetic_is_seen_and_a_flag_is_not) {
    const auto usual = arch::usual_arithmetic::now();
    EXPECT_FALSE(usual.is_left());
    std::fesetround(FE_UPWARD);
    EXPECT_TRUE(usual.is_left());
    std::fesetround(FE_TONEAREST);
    EXPECT_FALSE(usual.is_left());
    std::feraiseexcept(FE_INEXACT | FE_OVERFLOW);
    EXPECT_FALSE(usual.is_left());
    std::feclearexcept(FE_ALL_EXCEPT);
}

#if defined(__x86_64__) && !defined(LAZULT_ARCH_GENERIC)
// What intrinsics change in MXCSR alone.
TEST(cpu, flushed_denormals_are_seen) {
    const auto usual = arch::usual_arithmetic::now();
    const std::uint32_t words = arch::control_words();
    for (const std::uint32_t flush : {0x8000U, 0x0040U}) {
        arch::set_control_words(words | flush);
        EXPECT_TRUE(usual.is_left());
        arch::set_control_words(words);
        EXPECT_FALSE(usual.is_left());
    }
}

// Where the process itself flushes them, or traps at them, a thread that does is no other.
TEST(cpu, a_process_that_flushes_denormals_is_as_usual) {
    const std::uint32_t words = arch::control_words();
    for (const std::uint32_t its_own : {words | 0x8040U, words & ~0x0100U}) {
        arch::set_control_words(its_own);
        EXPECT_FALSE(arch::usual_arithmetic::now().is_left());
        arch::set_control_words(words);
    }
}
#endif

TEST(thread_slot, each_os_thread_has_its_own) {
    void* const before = arch::thread_slot();
    int mine = 0;
    int others = 0;
    arch::set_thread_slot(&mine);
    std::thread([&] {
        EXPECT_EQ(arch::thread_slot(), nullptr);
        arch::set_thread_slot(&others);
        EXPECT_EQ(arch::thread_slot(), &others);
        arch::set_thread_slot(nullptr);
    }).join();
    EXPECT_EQ(arch::thread_slot(), &mine);
    arch::set_thread_slot(before);
}

TEST(context_implementation, has_a_name) {
    EXPECT_FALSE(std::string_view(arch::context_implementation()).empty());
}

}  // namespace
