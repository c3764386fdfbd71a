// SPDX-License-Identifier: BSD-3-Clause
// What reports call the waits of doors.
#include "lazult/sync/wait_names.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <vector>

#include "lazult/sync/wait_description.hpp"
#include "tests/sync/harness.hpp"

namespace lazult::testing {
namespace {

using sync::door_waits;
using sync::wait_kind;

constexpr const char* red[] = {"red", "scarlet"};
constexpr const char* blue[] = {"blue"};

std::string_view name_of(wait_kind kind) { return sync::name(kind); }

TEST(wait_names, are_those_of_the_floor_without_a_door) {
    EXPECT_EQ(name_of(wait_kind::mutex), "mutex");
    EXPECT_EQ(name_of(wait_kind::end_of_unit), "end");
    EXPECT_EQ(name_of(wait_kind::unknown), "something");
    EXPECT_EQ(name_of(wait_kind::first_of_doors), "something");
    EXPECT_EQ(name_of(static_cast<wait_kind>(255)), "something");
    EXPECT_TRUE(sync::is_registered(wait_kind::end_of_unit));
    EXPECT_FALSE(sync::is_registered(wait_kind::unknown));
    EXPECT_FALSE(sync::is_registered(wait_kind::first_of_doors));
    EXPECT_FALSE(sync::is_registered(static_cast<wait_kind>(255)));
}

TEST(wait_names, of_two_doors_differ_and_go_with_them) {
    const door_waits second(blue);
    wait_kind gone{};
    {
        const door_waits first(red);
        gone = first[1];
        EXPECT_EQ(name_of(first[0]), "red");
        EXPECT_EQ(name_of(first[1]), "scarlet");
        EXPECT_EQ(name_of(second[0]), "blue");
    }
    EXPECT_EQ(name_of(gone), "something");
    EXPECT_FALSE(sync::is_registered(gone));
    EXPECT_EQ(name_of(second[0]), "blue");
}

TEST(wait_names, of_a_door_that_comes_again_find_room) {
    for (int i = 0; i < 1000; ++i) {
        const door_waits again(red);
        ASSERT_EQ(name_of(again[1]), "scarlet");
    }
}

TEST(wait_names, are_unknown_where_there_is_no_room) {
    std::vector<std::unique_ptr<door_waits>> all;
    for (std::size_t i = 0; i < sync::most_wait_kinds; ++i) {
        all.push_back(std::make_unique<door_waits>(blue));
    }
    EXPECT_EQ((*all.back())[0], wait_kind::unknown);
    all.front().reset();
    const door_waits two(red);  // there is room for one name
    EXPECT_EQ(two[1], wait_kind::unknown);
    const door_waits one(blue);
    EXPECT_EQ(name_of(one[0]), "blue");
}

TEST(wait_names, of_doors_are_in_what_is_told_of_a_suspended_unit) {
    if (probe::asan) {
        GTEST_SKIP() << "AddressSanitizer keeps the record apart from the stack";
    }
    const door_waits mine(red);
    runtime_scope runtime(1);
    crowd callers;
    const int object = 0;
    sync::waiter<>* listed = nullptr;
    const core::work_unit* waits = callers.ult(
        [&] {
            sync::waiter<> me(sync::this_caller().unit, mine[1], &object);
            listed = &me;
            sync::block(me, [](sync::waiter<>& record) noexcept {
                sync::push_back<ds::default_atomics>(nullptr, &record);
                return true;
            });
        },
        technique::lazy_stack, sched::this_stream()->pinned());
    EXPECT_TRUE(wait_for([&] { return waits->state() == core::life_state::blocked; }));
    std::vector<watch::known_wait> told;
    sync::describe_waits(*waits, told);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(std::string_view(told.front().kind), "scarlet");
    EXPECT_EQ(told.front().object, &object);
    sync::unlink(listed, listed);
    sync::wake(listed);
}

}  // namespace
}  // namespace lazult::testing
