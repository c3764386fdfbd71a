// SPDX-License-Identifier: BSD-3-Clause
// Floating-point control words: each thread has its own, whatever the switch.
#include "lazult/arch/context.hpp"

#include <gtest/gtest.h>

#include <cfenv>

#include "switch_fixture.hpp"

namespace {

using namespace lazult;
using namespace lazult::arch_test;
using arch::context;
using arch::departure;
using arch::entry_record;

class control_words_test : public context_test {};

// --- floating-point control words

struct rounding_report {
    int entered = -1;
    bool changed = true;
    int kept = -1;
};

bool control_words_say(int rounding) {
    const bool changed = rounding != FE_TONEAREST;
    return std::fegetround() == rounding && arch::lazult_control_words_changed() == changed;
}

departure other_rounding(void* out) {
    auto& r = *static_cast<rounding_report*>(out);
    r.entered = std::fegetround();
    r.changed = arch::lazult_control_words_changed();
    std::fesetround(FE_DOWNWARD);
    to_test();
    r.kept = control_words_say(FE_DOWNWARD) ? FE_DOWNWARD : -1;
    return {now.test, &now};
}
constexpr entry_record rounding_entry{other_rounding, note_left};

TEST_P(control_words_test, each_thread_has_its_own_rounding_mode_and_fresh_ones_the_default) {
    rounding_report other;
    std::fesetround(FE_UPWARD);
    arch::lazult_start(&now.test, stack.top(), &rounding_entry, &other, nullptr, nullptr);
    EXPECT_TRUE(control_words_say(FE_UPWARD));
    EXPECT_EQ(other.entered, FE_TONEAREST);
    EXPECT_FALSE(other.changed);
    std::fesetround(FE_TOWARDZERO);
    to_other();
    EXPECT_TRUE(control_words_say(FE_TOWARDZERO));
    EXPECT_EQ(other.kept, FE_DOWNWARD);
}

departure leaves_rounding_changed(void*) {
    std::fesetround(FE_UPWARD);
    arch::lazult_switch_to_host(&now.other, now.test, nullptr, nullptr);
    std::fesetround(FE_DOWNWARD);
    return {now.test, &now};
}
constexpr entry_record changed_entry{leaves_rounding_changed, note_left};

TEST_P(control_words_test, a_host_is_never_left_with_a_units_rounding_mode) {
    arch::lazult_start_from_host(&now.test, stack.top(), &changed_entry, nullptr);
    EXPECT_TRUE(control_words_say(FE_TONEAREST));
    arch::lazult_switch_from_host(&now.test, now.other);
    EXPECT_TRUE(control_words_say(FE_TONEAREST));
}

departure looks_after_a_switch(void* out) {
    arch::lazult_switch_to_host(&now.other, now.test, nullptr, nullptr);
    static_cast<rounding_report*>(out)->entered = std::fegetround();
    return {now.test, &now};
}
constexpr entry_record looking_entry{looks_after_a_switch, note_left};

// A unit that ended in a plain call may have left other words in force than the host's.
TEST_P(control_words_test, a_thread_that_a_host_resumes_has_its_own_words_whatever_is_in_force) {
    rounding_report r;
    arch::lazult_start_from_host(&now.test, stack.top(), &looking_entry, &r);
    std::fesetround(FE_UPWARD);
    arch::lazult_switch_from_host(&now.test, now.other);
    EXPECT_EQ(r.entered, FE_TONEAREST);
    arch::lazult_reset_control_words();
}

departure start_over_with_changed_words(void* out) {
    std::fesetround(FE_UPWARD);
    static constexpr entry_record next{[](void* r) -> departure {
                                           static_cast<rounding_report*>(r)->entered =
                                               std::fegetround();
                                           return {now.test, &now};
                                       },
                                       note_left};
    arch::lazult_start_over(
        static_cast<test_stack*>(redirected->stack)->top(), &next, out, [](void*) {}, nullptr);
}
constexpr entry_record starting_over_entry{start_over_with_changed_words, note_left};

// An end puts its words back first: see context.hpp.
TEST_P(control_words_test, a_thread_that_follows_another_has_the_words_in_force) {
    redirect_record record;
    record.stack = &second;
    redirected = &record;
    rounding_report r;
    arch::lazult_start(&now.test, stack.top(), &starting_over_entry, &r, nullptr, nullptr);
    EXPECT_EQ(r.entered, FE_UPWARD);
    EXPECT_TRUE(control_words_say(FE_TONEAREST));
}

TEST_P(control_words_test, control_words_can_be_asked_and_reset) {
    EXPECT_FALSE(arch::lazult_control_words_changed());
    std::fesetround(FE_UPWARD);
    EXPECT_TRUE(arch::lazult_control_words_changed());
    arch::lazult_reset_control_words();
    EXPECT_FALSE(arch::lazult_control_words_changed());
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

// --- the words themselves, with what rounding modes do not show: denormals, precision, traps

std::uint64_t words_at(std::uint64_t index) {
    return lazult_test_words[index % lazult_test_word_count];
}

// Whether they are what they were set to, after `leave`. They are put back.
template <class Leave>
bool keeps_words(std::uint64_t words, Leave leave) {
    const std::uint64_t before = lazult_test_control_words();
    lazult_test_set_control_words(words);
    leave();
    const bool kept = lazult_test_control_words() == words;
    lazult_test_set_control_words(before);
    return kept;
}

struct words_report {
    std::uint64_t entered = 0;
    bool kept = true;
};
departure keeps_other_words(void* out) {
    auto& r = *static_cast<words_report*>(out);
    r.entered = lazult_test_control_words();
    for (std::uint64_t round = 0; round < rounds; ++round) {
        r.kept &= keeps_words(words_at(round + 1), to_test);
    }
    return {now.test, &now};
}
constexpr entry_record words_entry{keeps_other_words, note_left};

TEST_P(control_words_test, switches_keep_all_control_words_of_both_threads) {
    if (is_generic()) {
        GTEST_SKIP() << "fesetround tells what ucontext keeps";
    }
    const std::uint64_t usual = lazult_test_control_words();
    words_report other;
    EXPECT_TRUE(keeps_words(words_at(0), [&] {
        arch::lazult_start(&now.test, stack.top(), &words_entry, &other, nullptr, nullptr);
    }));
    for (std::uint64_t round = 0; round < rounds; ++round) {
        EXPECT_TRUE(keeps_words(words_at(round), to_other)) << "round " << round;
    }
    EXPECT_EQ(other.entered, usual);
    EXPECT_TRUE(other.kept);
    EXPECT_EQ(now.left_calls, 1);
}

departure ends_with_other_words(void* words) {
    lazult_test_set_control_words(*static_cast<std::uint64_t*>(words));
    return {now.test, &now};
}
constexpr entry_record ends_with_other_words_entry{ends_with_other_words, note_left};

departure jumps_with_other_words(void* words) {
    lazult_test_set_control_words(*static_cast<std::uint64_t*>(words));
    arch::lazult_jump(now.test, nullptr, nullptr);
}
constexpr entry_record jumps_with_other_words_entry{jumps_with_other_words, note_left};

TEST_P(control_words_test, a_thread_that_is_left_for_good_takes_its_words_along) {
    if (is_generic()) {
        GTEST_SKIP() << "fesetround tells what ucontext keeps";
    }
    for (const entry_record* how : {&ends_with_other_words_entry, &jumps_with_other_words_entry}) {
        for (std::uint64_t i = 0; i < lazult_test_word_count; ++i) {
            std::uint64_t words = words_at(i);
            EXPECT_TRUE(keeps_words(
                lazult_test_control_words(),
                [&] { arch::lazult_start(&now.test, stack.top(), how, &words, nullptr, nullptr); }))
                << "words " << i;
        }
    }
}

departure keeps_words_under_host(void* out) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto leave = [] {
            arch::lazult_switch_to_host(&now.other, now.test, nullptr, nullptr);
        };
        static_cast<words_report*>(out)->kept &= keeps_words(words_at(round), leave);
    }
    return {now.test, &now};
}
constexpr entry_record words_under_host_entry{keeps_words_under_host, note_left};

TEST_P(control_words_test, a_host_has_the_default_words_after_each_switch) {
    if (is_generic()) {
        GTEST_SKIP() << "fesetround tells what ucontext keeps";
    }
    const std::uint64_t usual = lazult_test_control_words();
    words_report other;
    arch::lazult_start_from_host(&now.test, stack.top(), &words_under_host_entry, &other);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        EXPECT_EQ(lazult_test_control_words(), usual);
        arch::lazult_switch_from_host(&now.test, now.other);
    }
    EXPECT_TRUE(other.kept);
}

INSTANTIATE_TEST_SUITE_P(words, control_words_test, testing::ValuesIn(ways_to_load_words),
                         [](const auto& info) {
                             return info.param ? "compared" : "always_loaded";
                         });

}  // namespace
