// SPDX-License-Identifier: BSD-3-Clause
// What a unit may use of its stack is the same whatever starts it: each technique, a joiner, a
// scheduler of any stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

constexpr std::size_t usual = std::size_t{64} << 10;

// An eighth, and of small stacks 4 KiB, is the library's.
constexpr std::size_t promised(std::size_t size) {
    return size - std::max(size / 8, std::size_t{4} << 10);
}

std::size_t room_here() {
    return core::current_unit()->stk->headroom_below(arch::stack_position());
}

bool is_on_thread_stack() { return core::current_unit()->stk == &core::this_worker().thread_stack; }

// Of the test, and of the scheduler that calls the unit. AddressSanitizer makes frames larger.
constexpr std::size_t own_frames = probe::asan ? 4096 : 1024;

// What a unit of this size may find on a stack of its own size, or on that of a joiner of the same
// size. The test's own frames count.
void expect_room_of(std::size_t size, const std::string& what) {
    EXPECT_LE(room_here(), size) << what;
    EXPECT_GE(room_here() + own_frames, promised(size)) << what;
}

// Neither its joiner calls it nor another unit's end leads to it: the scheduler starts it.
void run_by_scheduler(const core::unit_attributes& how, std::function<void()> body) {
    unit u = spawn(pinned(), how, std::move(body));
    suspend_for_a_moment();
    EXPECT_EQ(u.join(), status::ok);
}

void run_in_place(const core::unit_attributes& how, std::function<void()> body) {
    unit u = spawn(pinned(), how, std::move(body));
    EXPECT_EQ(u.join(), status::ok);
}

TEST(stack_size, is_the_same_by_each_technique) {
    const runtime running;
    for (const technique how : all_techniques) {
        run_by_scheduler(core::unit_attributes(how),
                         [how] { expect_room_of(usual, name_of(how)); });
    }
}

TEST(stack_size, is_the_same_where_a_ult_calls_its_child) {
    const runtime running;
    for (const technique joiner : suspending_techniques) {
        for (const technique how : all_techniques) {
            run_by_scheduler(core::unit_attributes(joiner), [=] {
                run_in_place(core::unit_attributes(how), [=] {
                    expect_room_of(usual, name_of(joiner) + " joins " + name_of(how));
                });
            });
        }
    }
}

TEST(stack_size, is_as_asked_for_by_each_technique) {
    const runtime running;
    for (const technique how : all_techniques) {
        for (const std::size_t size :
             {std::size_t{8} << 10, std::size_t{16} << 10, std::size_t{32} << 10,
              std::size_t{256} << 10, std::size_t{1} << 20, std::size_t{16} << 20}) {
            const std::string what = name_of(how) + " with " + std::to_string(size);
            const core::unit_attributes sized(how, size);
            if (size >= usual ||
                how != technique::run_to_completion) {  // a tasklet may find what a scheduler has
                run_by_scheduler(sized, [=] { expect_room_of(size, what); });
            }
            if (size >= usual) {  // a smaller one finds what its joiner has left
                run_by_scheduler(
                    core::unit_attributes(how == technique::run_to_completion ? technique::full
                                                                              : how),
                    [=] {
                        run_in_place(sized, [=] { expect_room_of(size, what + " in place"); });
                    });
            }
            run_in_place(sized, [=] {
                EXPECT_GE(room_here() + own_frames, promised(size)) << what << " in place on main";
            });
        }
    }
}

TEST(stack_size, follows_the_settings) {
    for (const std::size_t ults : {std::size_t{16} << 10, std::size_t{256} << 10}) {
        for (const std::size_t schedulers :
             {std::size_t{0}, std::size_t{32} << 10, std::size_t{1} << 20}) {
            base::settings s = settings_for(1);
            s.stack_size = ults;
            s.scheduler_stack_size = schedulers;
            const std::size_t tasklets = schedulers != 0 ? schedulers : std::max(ults, usual);
            const runtime running(s);
            for (const technique how : all_techniques) {
                const std::size_t size = how == technique::run_to_completion ? tasklets : ults;
                run_by_scheduler(core::unit_attributes(how),
                                 [=] { expect_room_of(size, name_of(how)); });
            }
        }
    }
}

void suspend_often(core::entry_function entry, int count) {
    for (int i = 0; i < count; ++i) {
        work_unit* u =
            core::prepare(core::this_worker(), pinned(), entry, nullptr, core::unit_attributes());
        core::launch(core::this_worker(), u);
        suspend_for_a_moment();
        EXPECT_EQ(core::join(u), status::ok);
        core::dispose(core::this_worker(), u);
    }
}

int suspensions_wanted = 0;
std::atomic<int> planned[core::technique_count];

void look(void*) {
    expect_room_of(usual, "after some history");
    planned[static_cast<int>(core::current_unit()->header.plan)].fetch_add(1);
    for (int i = 0; i < suspensions_wanted; ++i) {
        suspend_for_a_moment();
    }
}

// The adaptive technique plans another start once units of a function suspend.
TEST(stack_size, is_the_same_after_any_history) {
    const runtime running;
    for (const int wanted : {0, 1, 0}) {
        suspensions_wanted = wanted;
        suspend_often(look, 4000);
    }
    EXPECT_GT(planned[static_cast<int>(technique::scheduler_creation)].load(), 0);
    EXPECT_GT(planned[static_cast<int>(technique::lazy_stack)].load(), 0);
}

class stack_size_under_load : public testing::TestWithParam<technique> {};

int balanced(technique how, int depth) {
    if (!is_on_thread_stack()) {
        expect_room_of(usual, name_of(how));
    }
    if (depth == 0) {
        return 1;
    }
    int sums[2] = {0, 0};
    unit left = spawn(default_pool(), how, [&] { sums[0] = balanced(how, depth - 1); });
    unit right = spawn(default_pool(), how, [&] { sums[1] = balanced(how, depth - 1); });
    EXPECT_EQ(right.join(), status::ok);
    EXPECT_EQ(left.join(), status::ok);
    return sums[0] + sums[1];
}

TEST_P(stack_size_under_load, is_the_same_on_all_streams) {
    const runtime running(4U);
    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(balanced(GetParam(), 8), 256);
    }
}
INSTANTIATE_TEST_SUITE_P(all, stack_size_under_load, testing::ValuesIn(suspending_techniques),
                         [](const auto& test) { return name_of(test.param); });

int chain(technique how, int depth) {
    expect_room_of(usual, name_of(how) + " at " + std::to_string(depth));
    int below = 0;
    if (depth != 0) {
        unit child = spawn(pinned(), how, [&] { below = chain(how, depth - 1); });
        EXPECT_EQ(child.join(), status::ok);
    }
    return below + 1;
}

// Each of a thousand units, one called by the other, finds as much as the first.
TEST(stack_size, is_the_same_at_each_depth_of_a_chain) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        run_by_scheduler(core::unit_attributes(how), [how] { EXPECT_EQ(chain(how, 1000), 1001); });
    }
}

TEST(stack_size, is_the_same_on_main_where_stacks_are_exact) {
    base::settings s = settings_for(1);
    s.exact_stacks = true;
    const runtime running(s);
    for (const technique how : all_techniques) {
        run_in_place(core::unit_attributes(how), [how] { expect_room_of(usual, name_of(how)); });
        unit u = spawn(default_pool(), how, [how] { expect_room_of(usual, name_of(how)); });
        EXPECT_EQ(u.join(), status::ok);
    }
}

// A child that is called on a stack of its own may suspend, move, and have local values, as others.
TEST(stack_size, children_on_stacks_of_their_own_suspend_as_others) {
    base::settings s = settings_for(2);
    s.exact_stacks = true;
    const runtime running(s);
    for (const technique how : suspending_techniques) {
        for (int round = 0; round < 100; ++round) {
            int steps = 0;
            run_in_place(core::unit_attributes(how), [&] {
                ++steps;
                suspend_for_a_moment();
                unit inner = spawn(default_pool(), how, [&] {
                    suspend_for_a_moment();
                    ++steps;
                });
                EXPECT_EQ(inner.join(), status::ok);
                ++steps;
            });
            EXPECT_EQ(steps, 3);
        }
    }
}

}  // namespace
