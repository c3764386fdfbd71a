// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::deque: every element is taken once, with all that its pusher wrote.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

struct item {
    model::model_var<int> payload{0};
    model::model_var<int> takers{0};
};

// The taker of an element reads its payload and counts itself, both without atomics.
struct work {
    ds::deque<item, model::model_atomics> deque{2};
    std::array<item, 4> items;

    explicit work(model::run& run) {
        run.label(deque, "deque");
        run.label(items, "items");
    }
    void push(unsigned index) {
        items[index].payload = 1;
        deque.push(&items[index]);
    }
    static bool take(item* taken) {
        if (taken == nullptr) {
            return false;
        }
        model::check(taken->payload == 1, "the payload came along");
        taken->takers = taken->takers + 1;
        return true;
    }
    bool pop() { return take(deque.pop()); }
    bool steal() { return take(deque.steal()); }
    bool try_steal() { return take(deque.try_steal().item); }

    void expect_taken_once(unsigned pushed) {
        while (pop()) {
        }
        for (unsigned index = 0; index < pushed; ++index) {
            model::check(items[index].takers == 1, "each element is taken once");
        }
    }
};

void last_element(model::run& run) {
    work shared(run);
    run.thread("owner", [&] {
        shared.push(0);
        shared.pop();
    });
    run.thread("thief", [&] { shared.steal(); });
    run.join();
    shared.expect_taken_once(1);
}

void last_element_and_two_thieves(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] { shared.pop(); });
    run.thread("thief", [&] { shared.try_steal(); });
    run.thread("thief 2", [&] { shared.try_steal(); });
    run.join();
    shared.expect_taken_once(2);
}

// A thief that takes two in a row meets an owner that still believes in the first.
void two_of_two(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        shared.pop();
        shared.pop();
    });
    run.thread("thief", [&] {
        shared.try_steal();
        shared.try_steal();
    });
    run.join();
    shared.expect_taken_once(2);
}

// A thief that finds the bottom as a pop left it has all that was pushed below.
void below_a_pop(model::run& run) {
    work shared(run);
    run.thread("owner", [&] {
        shared.push(0);
        shared.push(1);
        shared.pop();
    });
    run.thread("thief", [&] { shared.try_steal(); });
    run.join();
    shared.expect_taken_once(2);
}

void push_after_empty_pop(model::run& run) {
    work shared(run);
    shared.push(0);
    run.thread("owner", [&] {
        shared.pop();
        shared.push(1);
        shared.pop();
    });
    run.thread("thief", [&] {
        shared.try_steal();
        shared.try_steal();
    });
    run.join();
    shared.expect_taken_once(2);
}

void growth(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        shared.push(2);
        shared.pop();
    });
    run.thread("thief", [&] {
        shared.try_steal();
        shared.try_steal();
    });
    run.join();
    shared.expect_taken_once(3);
}

// The ring has two slots: the third element goes where a thief took the first.
void slot_reuse(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] { shared.push(2); });
    run.thread("thief", [&] { shared.try_steal(); });
    run.thread("thief 2", [&] { shared.try_steal(); });
    run.join();
    shared.expect_taken_once(3);
}

void pop_if(model::run& run) {
    work shared(run);
    shared.push(0);
    run.thread("owner", [&] {
        if (shared.deque.pop_if(&shared.items[0])) {
            work::take(&shared.items[0]);
        }
        model::check(!shared.deque.pop_if(&shared.items[0]), "it is not there twice");
    });
    run.thread("thief", [&] { shared.try_steal(); });
    run.join();
    shared.expect_taken_once(1);
}

// The owner gives the oldest away, takes the newest, and meets a thief at both.
void oldest_by_the_owner(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        work::take(shared.deque.take_oldest());
        shared.pop();
    });
    run.thread("thief", [&] {
        shared.try_steal();
        shared.try_steal();
    });
    run.join();
    shared.expect_taken_once(2);
}

// Of three threads at once: the slot that the owner empties at the top is used again.
void oldest_and_slot_reuse(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        work::take(shared.deque.take_oldest());
        shared.push(2);
    });
    run.thread("thief", [&] { shared.try_steal(); });
    run.join();
    shared.expect_taken_once(3);
}

void oldest_by_its_name(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        for (std::size_t each : {0U, 1U}) {
            if (shared.deque.take_oldest_if(&shared.items[each])) {
                work::take(&shared.items[each]);
            }
        }
    });
    run.thread("thief", [&] {
        shared.try_steal();
        shared.try_steal();
    });
    run.join();
    shared.expect_taken_once(2);
}

const std::vector<model::scenario> scenarios = {
    {"last_element", last_element},
    {"last_element_and_two_thieves", last_element_and_two_thieves},
    {"two_of_two", two_of_two},
    {"below_a_pop", below_a_pop},
    {"push_after_empty_pop", push_after_empty_pop},
    {"growth", growth},
    {"slot_reuse", slot_reuse},
    {"pop_if", pop_if},
    {"oldest_by_the_owner", oldest_by_the_owner},
    {"oldest_and_slot_reuse", oldest_and_slot_reuse},
    {"oldest_by_its_name", oldest_by_its_name},
};

TEST(deque_model, takes_each_element_once) { model::expect_sound(scenarios); }

// The paper's fences, as an asymmetric pair.
TEST(deque_model, a_missing_barrier_is_found) {
    for (const model::weakening& mistake :
         {model::weakening{"lower", model::operation::light_barrier},
          model::weakening{"try_steal", model::operation::heavy_barrier},
          model::weakening{"push_at", model::operation::store, std::memory_order_release,
                           std::memory_order_relaxed}}) {
        EXPECT_TRUE(model::is_noticed(mistake, scenarios)) << model::describe(mistake);
    }
}

// Orders that the model cannot see broken, because its loads never read the future: make_room()'s
// load and the thief's CAS,
// which it pairs with, keep the owner from using a slot again that the thief is reading still;
// settle_last()'s store may be seen before its CAS.
TEST(deque_model, needs_every_other_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios),
              (std::set<std::string>{"make_room(): load acquire -> relaxed",
                                     "settle_last(): store release -> relaxed",
                                     "try_steal(): compare_exchange release -> relaxed"}));
}

}  // namespace
}  // namespace lazult
