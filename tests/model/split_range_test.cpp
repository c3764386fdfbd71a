// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::split_range: every number is taken once, by the owner, by a thief, or from a thief.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lazult {
namespace {

using range = ds::split_range<model::model_atomics>;

constexpr range::piece nothing{0, 0};

auto up_to(std::uint32_t most) {
    return [most](std::uint32_t left) { return most < left ? most : left; };
}

struct work {
    std::array<range, 2> ranges;
    std::array<int, 4> takers{};

    explicit work(model::run& run) { run.label(ranges, "ranges"); }
    void count(range::piece p) {
        for (std::uint32_t i = p.begin; i < p.end; ++i) {
            ++takers[i];
        }
    }
    void expect_each_once(range::piece initial) {
        count(ranges[0].take(1, initial, up_to(4)));
        count(ranges[1].take(1, nothing, up_to(4)));
        for (std::uint32_t i = initial.begin; i < initial.end; ++i) {
            model::check(takers[i] == 1, "each number is taken once");
        }
    }
};

// In the word is what an earlier loop left.
void an_owner_and_two_thieves(model::run& run) {
    work shared(run);
    constexpr range::piece all{0, 4};
    shared.ranges[0].set(2, {1, 3});
    run.thread("owner", [&] {
        shared.count(shared.ranges[0].take(1, all, up_to(1)));
        shared.count(shared.ranges[0].take(1, all, up_to(1)));
    });
    run.thread("thief", [&] { shared.count(shared.ranges[0].steal(1, all)); });
    run.thread("thief 2", [&] { shared.count(shared.ranges[0].steal(1, all)); });
    run.join();
    shared.expect_each_once(all);
}

// What is stolen becomes a range that may be stolen from: also back, so that the word is there again that was there before.
void what_was_stolen_is_stolen_back(model::run& run) {
    work shared(run);
    constexpr range::piece one{0, 1};
    run.thread("owner", [&] {
        shared.count(shared.ranges[0].take(1, one, up_to(1)));
        if (const range::piece got = shared.ranges[1].steal(1, nothing); !got.empty()) {
            shared.ranges[0].set(1, got);
            shared.count(shared.ranges[0].take(1, one, up_to(1)));
        }
    });
    run.thread("thief", [&] {
        if (const range::piece got = shared.ranges[0].steal(1, one); !got.empty()) {
            shared.ranges[1].set(1, got);
            shared.count(shared.ranges[1].take(1, nothing, up_to(1)));
        }
    });
    run.thread("thief 2", [&] { shared.count(shared.ranges[0].steal(1, one)); });
    run.join();
    shared.expect_each_once(one);
}

void large_steps(model::run& run) {
    work shared(run);
    constexpr range::piece all{0, 3};
    run.thread("owner", [&] {
        shared.count(shared.ranges[0].take(1, all, up_to(2)));
        shared.count(shared.ranges[0].take(1, all, up_to(2)));
    });
    run.thread("thief", [&] {
        shared.count(shared.ranges[0].steal(1, all));
        shared.count(shared.ranges[0].steal(1, all));
    });
    run.join();
    shared.expect_each_once(all);
}

// Its orders are all relaxed: there are none to weaken.
TEST(split_range_model, loses_and_doubles_nothing) {
    model::expect_sound({{"an_owner_and_two_thieves", an_owner_and_two_thieves},
                         {"what_was_stolen_is_stolen_back", what_was_stolen_is_stolen_back},
                         {"large_steps", large_steps}});
}

}  // namespace
}  // namespace lazult
