// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::split_range: every number is taken once, by the owner, by a thief, or from a
// thief.
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

constexpr auto wait = [] { model::model_atomics::pause(); };

// An owner with its memory of what is left.
struct owner {
    range& its;
    std::uint16_t tag;
    range::piece left;
    range::piece take(std::uint32_t most) {
        const range::piece got = its.take(tag, left, up_to(most), wait);
        return !got.empty() ? got : its.take_shared(tag, up_to(most));
    }
};

struct work {
    std::array<range, 2> ranges;
    std::array<owner, 2> owners;
    std::array<int, 4> takers{};

    work(model::run& run, range::piece first, std::uint16_t tag = 1)
        : owners{owner{ranges[0], tag, first}, owner{ranges[1], tag, nothing}} {
        run.label(ranges, "ranges");
    }
    void count(range::piece p) {
        for (std::uint32_t i = p.begin; i < p.end; ++i) {
            ++takers[i];
        }
    }
    void expect_each_once(range::piece initial) {
        count(owners[0].take(4));
        count(owners[1].take(4));
        for (std::uint32_t i = initial.begin; i < initial.end; ++i) {
            model::check(takers[i] == 1, "each number is taken once");
        }
    }
};

// In the words is what an earlier loop left.
void an_owner_that_is_asked(model::run& run) {
    constexpr range::piece all{0, 4};
    work shared(run, all);
    shared.ranges[0].set(2, {1, 3});
    run.thread("owner", [&] {
        shared.count(shared.owners[0].take(1));
        shared.count(shared.owners[0].take(1));
    });
    run.thread("thief", [&] {
        shared.ranges[0].ask(1);
        shared.count(shared.ranges[0].steal(1));
    });
    run.thread("thief 2", [&] { shared.count(shared.ranges[0].steal(1)); });
    run.join();
    shared.expect_each_once(all);
}

void an_owner_that_does_not_answer(model::run& run) {
    constexpr range::piece all{0, 3};
    work shared(run, all);
    run.thread("owner", [&] {
        shared.count(shared.owners[0].take(1));
        shared.count(shared.owners[0].take(1));
        shared.count(shared.owners[0].take(1));
    });
    run.thread("thief", [&] {
        shared.ranges[0].ask(1);
        shared.count(shared.ranges[0].seize(1, all));
    });
    run.join();
    shared.expect_each_once(all);
}

void two_who_seize(model::run& run) {
    constexpr range::piece all{0, 3};
    work shared(run, all);
    run.thread("owner", [&] {
        shared.count(shared.owners[0].take(2));
        shared.count(shared.owners[0].take(2));
    });
    for (const char* name : {"thief", "thief 2"}) {
        run.thread(name, [&] {
            shared.ranges[0].ask(1);
            shared.count(shared.ranges[0].seize(1, all));
        });
    }
    run.join();
    shared.expect_each_once(all);
}

// The owner's range has run out, and it gets another one's numbers, while a thief seizes what was
// in the range before.
void the_owner_gets_more_meanwhile(model::run& run) {
    constexpr range::piece one{0, 1};
    work shared(run, one);
    shared.ranges[1].set(1, {1, 3});
    run.thread("owner", [&] {
        shared.count(shared.owners[0].take(1));
        if (!shared.ranges[0].look(1, one).left.empty()) {
            return;
        }
        if (const range::piece got = shared.ranges[1].steal(1); !got.empty()) {
            shared.ranges[0].set(1, got);
            shared.count(shared.owners[0].take(1));
        }
    });
    run.thread("thief", [&] {
        shared.ranges[0].ask(1);
        shared.count(shared.ranges[0].seize(1, one));
    });
    run.join();
    shared.count(shared.owners[0].take(4));
    shared.count(shared.owners[1].take(4));
    for (std::size_t i = 0; i < 3; ++i) {
        model::check(shared.takers[i] == 1, "each number is taken once");
    }
}

void what_was_stolen_is_stolen_back(model::run& run) {
    constexpr range::piece one{0, 1};
    work shared(run, one);
    run.thread("owner", [&] {
        shared.count(shared.owners[0].take(1));
        if (const range::piece got = shared.ranges[1].steal(1); !got.empty()) {
            shared.ranges[0].set(1, got);
            shared.count(shared.owners[0].take(1));
        }
    });
    run.thread("thief", [&] {
        shared.ranges[0].ask(1);
        if (const range::piece got = shared.ranges[0].seize(1, one); !got.empty()) {
            shared.ranges[1].set(1, got);
            shared.count(shared.owners[1].take(1));
        }
    });
    run.join();
    shared.expect_each_once(one);
}

// A word that nobody has written for half of all tags is made younger, while somebody asks.
void an_old_word(model::run& run) {
    constexpr range::piece all{0, 2};
    constexpr std::uint16_t late = 40000;
    work shared(run, all, late);
    run.thread("owner", [&] {
        shared.count(shared.owners[0].take(1));
        shared.count(shared.owners[0].take(1));
    });
    run.thread("thief", [&] {
        shared.ranges[0].ask(late);
        shared.count(shared.ranges[0].seize(late, all));
    });
    run.join();
    shared.count(shared.owners[0].take(4));
    for (std::size_t i = 0; i < 2; ++i) {
        model::check(shared.takers[i] == 1, "each number is taken once");
    }
    // A loop with the tag of the word's first one finds its range whole.
    model::check(shared.ranges[0].look(late + 1, all).left.size() == 2, "it is another loop's");
}

// Its orders are all relaxed: there are none to weaken, but for the barriers.
const std::vector<model::scenario>& scenarios() {
    static const std::vector<model::scenario> all = {
        {"an_owner_that_is_asked", an_owner_that_is_asked},
        {"an_owner_that_does_not_answer", an_owner_that_does_not_answer},
        {"two_who_seize", two_who_seize, 2},
        {"the_owner_gets_more_meanwhile", the_owner_gets_more_meanwhile},
        {"what_was_stolen_is_stolen_back", what_was_stolen_is_stolen_back},
        {"an_old_word", an_old_word}};
    return all;
}

TEST(split_range_model, loses_and_doubles_nothing) { model::expect_sound(scenarios()); }

TEST(split_range_model, a_missing_barrier_is_found) {
    for (const model::weakening& mistake :
         {model::weakening{"step_to", model::operation::light_barrier},
          model::weakening{"seize", model::operation::heavy_barrier}}) {
        EXPECT_TRUE(model::is_noticed(mistake, scenarios())) << model::describe(mistake);
    }
}

}  // namespace
}  // namespace lazult
