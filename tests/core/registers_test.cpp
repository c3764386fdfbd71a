// SPDX-License-Identifier: BSD-3-Clause
// What the processor's calling convention promises, kept by every technique: callee-saved
// registers, control words, and the alignment of stacks.
#include <gtest/gtest.h>

#include "tests/arch/context_fixture.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using arch_test::pattern;
using arch_test::register_values;

enum class way { joined, scheduled, child_first };
constexpr const char* way_names[] = {"joined", "scheduled", "child_first"};

std::uint64_t words_at(std::uint64_t index) {
    return lazult_test_words[index % lazult_test_word_count];
}

class registers_test : public testing::TestWithParam<std::tuple<technique, way, unsigned>> {
protected:
    technique how() const { return std::get<0>(GetParam()); }
    bool suspends() const { return how() != technique::run_to_completion; }

    void TearDown() override { EXPECT_EQ(lazult_test_control_words(), usual_); }

    // By a unit: registers and words differ from everybody else's, and from round to round.
    void hold_everything(std::uint64_t mine) {
        EXPECT_EQ(lazult_test_control_words(), usual_)
            << "what another unit set, or this unit's creator";
        EXPECT_TRUE(arch_test::stack_is_aligned());
        for (std::uint64_t round = 0; suspends() && round < 5; ++round) {
            const std::uint64_t words = words_at(mine + round);
            const register_values in = pattern(100 * mine + round);
            lazult_test_set_control_words(words);
            const register_values out = arch_test::with_registers(
                in, [&] { (mine + round) % 2 == 0 ? core::yield() : suspend_for_a_moment(); });
            const std::uint64_t left = lazult_test_control_words();
            lazult_test_set_control_words(usual_);  // while the test looks
            EXPECT_EQ(out, in) << "unit " << mine << ", round " << round;
            EXPECT_EQ(left, words) << "unit " << mine << ", round " << round;
            EXPECT_TRUE(arch_test::stack_is_aligned());
        }
        if (mine % 2 == 0) {
            lazult_test_set_control_words(words_at(mine));  // the next one must not see it
        }
    }

    unit start(core::pool& home, std::uint64_t mine) {
        unit u(home, core::unit_attributes(how()), [this, mine] { hold_everything(mine); });
        std::get<1>(GetParam()) == way::child_first ? u.launch_child_first() : u.launch();
        return u;
    }

    std::uint64_t usual_ = lazult_test_control_words();
};

TEST_P(registers_test, are_those_of_the_unit_after_every_suspension) {
    if (arch_test::is_generic()) {
        GTEST_SKIP() << "ucontext keeps rounding modes, and is not asked for more";
    }
    const runtime running(std::get<2>(GetParam()));
    for (core::pool* home : {static_cast<core::pool*>(&pinned()), &default_pool()}) {
        std::vector<unit> units;
        for (std::uint64_t i = 0; i < 16; ++i) {
            const register_values in = pattern(7000 + i);
            EXPECT_EQ(arch_test::with_registers(in, [&] { units.push_back(start(*home, i)); }), in);
        }
        if (std::get<1>(GetParam()) == way::scheduled) {
            suspend_for_a_moment();
        }
        for (std::uint64_t i = 0; i < units.size(); ++i) {
            const register_values in = pattern(8000 + i);
            const std::uint64_t words =
                i % 3 == 0 ? words_at(i) : usual_;  // with others, no child is called in place
            lazult_test_set_control_words(words);
            const register_values out = arch_test::with_registers(in, [&] { units[i].join(); });
            const std::uint64_t left = lazult_test_control_words();
            lazult_test_set_control_words(usual_);
            EXPECT_EQ(out, in) << "the joiner's, of unit " << i;
            EXPECT_EQ(left, words) << "the joiner's, of unit " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(all, registers_test,
                         testing::Combine(testing::ValuesIn(all_techniques),
                                          testing::Values(way::joined, way::scheduled,
                                                          way::child_first),
                                          testing::Values(1U, 2U)),
                         [](const auto& param) {
                             return support::name_of(std::get<0>(param.param)) + "_" +
                                    way_names[static_cast<int>(std::get<1>(param.param))] + "_" +
                                    std::to_string(std::get<2>(param.param));
                         });

}  // namespace
