// SPDX-License-Identifier: BSD-3-Clause
// The checker itself: what it remembers of states spares it executions, and hides no outcome.
#include "tests/model/visited.hpp"

#include "tests/model/model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using model::fingerprint;
using model::model_atomics;
using model::visited;
using std::memory_order;

fingerprint of(std::uint64_t value) {
    fingerprint made;
    made.add(value);
    return made;
}

TEST(visited, knows_what_was_added) {
    visited states;
    for (std::uint64_t each = 0; each < 10'000; ++each) {
        EXPECT_FALSE(states.insert(of(each), 0));
    }
    for (std::uint64_t each = 0; each < 10'000; ++each) {
        EXPECT_TRUE(states.insert(of(each), 0));
    }
    EXPECT_EQ(states.size(), 10'000U);
}

TEST(visited, a_state_with_more_ahead_of_it_is_another_one) {
    visited states;
    EXPECT_FALSE(states.insert(of(1), 2));
    EXPECT_TRUE(states.insert(of(1), 2));
    EXPECT_TRUE(states.insert(of(1), 3));
    EXPECT_FALSE(states.insert(of(1), 1));
    EXPECT_TRUE(states.insert(of(1), 1));
    EXPECT_EQ(states.size(), 1U);
}

TEST(visited, takes_no_part_where_preemptions_are_too_many_to_be_noted) {
    visited states;
    EXPECT_FALSE(states.insert(of(1), 8));
    EXPECT_FALSE(states.insert(of(1), 8));
}

// --- programs of three threads on two words

enum class what { load, store, add, exchange_if, light, heavy };

struct step {
    what kind;
    std::size_t word;
    memory_order order;
};

using program = std::array<std::vector<step>, 3>;

program random_program(unsigned seed) {
    std::minstd_rand random(seed);
    constexpr std::array orders{std::memory_order_relaxed, std::memory_order_acq_rel,
                                std::memory_order_seq_cst};
    constexpr std::array kinds{what::load, what::load,        what::store, what::store,
                               what::add,  what::exchange_if, what::light, what::heavy};
    program made;
    for (std::vector<step>& each : made) {
        const std::size_t length = 2 + random() % 3;
        for (std::size_t i = 0; i < length; ++i) {
            each.push_back(
                {kinds[random() % kinds.size()], random() % 2, orders[random() % orders.size()]});
        }
    }
    return made;
}

memory_order for_load(memory_order order) {
    return order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
}
memory_order for_store(memory_order order) {
    return order == std::memory_order_acq_rel ? std::memory_order_release : order;
}

int run_step(const step& each, model_atomics::atomic<int>& word, int value) {
    int expected = 0;
    switch (each.kind) {
        case what::load: return word.load(for_load(each.order));
        case what::store: word.store(value, for_store(each.order)); return 0;
        case what::add: return word.fetch_add(value, each.order);
        case what::exchange_if:
            word.compare_exchange_strong(expected, value, each.order, std::memory_order_relaxed);
            return expected;
        case what::light: model_atomics::light_barrier(); return 0;
        case what::heavy: model_atomics::heavy_barrier(); return 0;
    }
    return 0;
}

struct found_in_all {
    std::set<std::string> outcomes;
    std::uint64_t executions;
};

found_in_all explore(const program& all, bool remembers) {
    found_in_all found;
    model::options limits;
    limits.preemptions = 3;
    limits.remembers = remembers;
    const auto body = [&](model::run& run) {
        model_atomics::atomic<int> first{0};
        model_atomics::atomic<int> second{0};
        const std::array<model_atomics::atomic<int>*, 2> words{&first, &second};
        std::array<std::string, 3> got;
        for (std::size_t me = 0; me < all.size(); ++me) {
            run.thread(std::to_string(me), [&, me] {
                for (std::size_t i = 0; i < all[me].size(); ++i) {
                    const step& each = all[me][i];
                    const int value = static_cast<int>(1 + me * 4 + i);
                    got[me] += std::to_string(run_step(each, *words[each.word], value)) + ",";
                }
            });
        }
        run.join();
        found.outcomes.insert(got[0] + "|" + got[1] + "|" + got[2] + "|" +
                              std::to_string(first.load(std::memory_order_relaxed)) + "," +
                              std::to_string(second.load(std::memory_order_relaxed)));
    };
    const model::result done = model::explore(limits, body);
    EXPECT_TRUE(done.complete && !done.failed) << done.describe();
    found.executions = done.executions;
    return found;
}

TEST(visited, hides_no_outcome_of_random_programs) {
    std::uint64_t with = 0;
    std::uint64_t without = 0;
    std::size_t outcomes = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        const program each = random_program(seed);
        const found_in_all wanted = explore(each, false);
        const found_in_all got = explore(each, true);
        ASSERT_EQ(got.outcomes, wanted.outcomes) << "seed " << seed;
        with += got.executions;
        without += wanted.executions;
        outcomes += wanted.outcomes.size();
    }
    EXPECT_GT(outcomes, 1000U);
    EXPECT_LT(with * 3, without * 2);
}

}  // namespace
}  // namespace lazult
