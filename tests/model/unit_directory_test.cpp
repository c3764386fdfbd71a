// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the unit_directory of the Argobots front end: units that enter at the same time
// share the tables that one of them made. A lookup that finds a unit's thread finds it as it was
// when the unit entered.
#include "doors/argobots/src/pools/unit_directory.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace lazult::abt {

template <class T>
struct handed_over<model::model_atomics, T> {
    using type = model::model_var<T>;
};

}  // namespace lazult::abt

namespace lazult {
namespace {

using atomics = model::model_atomics;

struct thread_like {
    model::model_var<int> ready{0};
};

// A tree of single bits, so that an execution makes few atomics.
struct small_shape {
    static constexpr unsigned leaf = 1;
    static constexpr unsigned branch = 1;
    static constexpr unsigned far = 1;
};
using directory = abt::unit_directory<thread_like, atomics, small_shape>;

constexpr std::uintptr_t near_unit = 0x4;
constexpr std::uintptr_t its_neighbour = 0x8;  // another leaf of the same table
constexpr std::uintptr_t far_unit = 0x40;
constexpr std::uintptr_t far_neighbour = 0x44;  // of the same leaf

const void* address(std::uintptr_t bits) { return reinterpret_cast<const void*>(bits); }

void enters(directory& units, std::uintptr_t unit, thread_like& thread) {
    thread.ready = 1;
    model::check(units.enter(address(unit), &thread), "there is memory");
}

template <std::uintptr_t First, std::uintptr_t Second>
void two_enter(model::run& run) {
    directory units;
    std::array<thread_like, 2> threads;
    run.thread("first", [&] {
        enters(units, First, threads[0]);
        model::check(units.find(address(First)) == &threads[0], "an owner finds what it entered");
    });
    run.thread("second", [&] { enters(units, Second, threads[1]); });
    run.join();
    model::check(units.find(address(First)) == &threads[0], "the first unit is found");
    model::check(units.find(address(Second)) == &threads[1], "the second unit is found");
}

// A thread that has the unit by chance looks it up. Nothing orders it after the owner.
template <std::uintptr_t Unit>
void one_looks(model::run& run) {
    directory units;
    thread_like thread;
    run.thread("owner", [&] { enters(units, Unit, thread); });
    run.thread("stranger", [&] {
        if (thread_like* const found = units.find(address(Unit)); found != nullptr) {
            model::check(found == &thread && found->ready == 1, "what is found is complete");
        }
    });
    run.join();
}

// The same where the leaf is there already, so that its making orders nothing.
void one_looks_into_an_old_leaf(model::run& run) {
    directory units;
    thread_like old;
    thread_like thread;
    enters(units, far_neighbour, old);
    run.thread("owner", [&] { enters(units, far_unit, thread); });
    run.thread("stranger", [&] {
        if (thread_like* const found = units.find(address(far_unit)); found != nullptr) {
            model::check(found == &thread && found->ready == 1, "what is found is complete");
        }
    });
    run.join();
}

// Each owner writes its own thread.
void one_leaves(model::run& run) {
    directory units;
    std::array<thread_like, 2> threads;
    run.thread("owner", [&] {
        enters(units, near_unit, threads[0]);
        units.leave(address(near_unit));
        model::check(units.find(address(near_unit)) == nullptr, "what has left is not found");
    });
    run.thread("neighbour", [&] { enters(units, its_neighbour, threads[1]); });
    run.join();
    model::check(units.find(address(its_neighbour)) == &threads[1], "the neighbour stays");
}

// Three leaves of the past: both take all of them, and put back what they do not need.
void two_enter_where_others_were(model::run& run) {
    constexpr std::uintptr_t further = 0x10;  // another table of leaves
    directory units;
    std::array<thread_like, 2> threads;
    thread_like old;
    for (const std::uintptr_t unit : {near_unit, its_neighbour, further}) {
        enters(units, unit, old);
    }
    units.clear();
    model::check(units.find(address(near_unit)) == nullptr, "nothing is left");
    run.thread("first", [&] { enters(units, near_unit, threads[0]); });
    run.thread("second", [&] { enters(units, its_neighbour, threads[1]); });
    run.join();
    model::check(units.find(address(near_unit)) == &threads[0], "the first unit is found");
    model::check(units.find(address(its_neighbour)) == &threads[1], "the second unit is found");
    model::check(units.find(address(further)) == nullptr, "the past is forgotten");
}

const std::vector<model::scenario> scenarios = {
    {"two_enter_where_others_were", two_enter_where_others_were, 2},
    {"two_enter_far", two_enter<far_unit, far_neighbour>, 2},
    {"two_enter_near", two_enter<near_unit, its_neighbour>, 2},
    {"one_looks_near", one_looks<near_unit>, 2},
    {"one_looks_far", one_looks<far_unit>, 2},
    {"one_looks_into_an_old_leaf", one_looks_into_an_old_leaf, 2},
    {"one_leaves", one_leaves, 2},
};

TEST(unit_directory_model, finds_what_entered) { model::expect_sound(scenarios); }

TEST(unit_directory_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
