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

// Whoever takes an element reads its payload and counts itself, both without atomics.
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

void half(model::run& run) {
    work shared(run);
    for (unsigned index = 0; index < 4; ++index) {
        shared.push(index);
    }
    run.thread("owner", [&] {
        shared.pop();
        shared.pop();
    });
    run.thread("thief", [&] { shared.deque.steal_half(8, [](item* taken) { work::take(taken); }); });
    run.join();
    shared.expect_taken_once(4);
}

const std::vector<model::scenario> scenarios = {
    {"last_element", last_element},
    {"last_element_and_two_thieves", last_element_and_two_thieves},
    {"two_of_two", two_of_two},
    {"push_after_empty_pop", push_after_empty_pop},
    {"growth", growth},
    {"slot_reuse", slot_reuse},
    {"pop_if", pop_if},
    {"half", half},
};

TEST(deque_model, takes_each_element_once) { model::expect_sound(scenarios); }

TEST(deque_model, the_papers_mistake_is_found) {
    for (const model::weakening& mistake :
         {model::weakening{"pop", model::operation::store, std::memory_order_seq_cst,
                           std::memory_order_release},
          model::weakening{"pop", model::operation::load, std::memory_order_seq_cst,
                           std::memory_order_acquire},
          model::weakening{"push", model::operation::store, std::memory_order_release,
                           std::memory_order_relaxed}}) {
        EXPECT_TRUE(model::is_noticed(mistake, scenarios)) << model::describe(mistake);
    }
}

// Three orders that the model cannot see broken:
// - make_room()'s load and try_steal()'s load of top_ keep a later access from running early, and loads of
//   the model never read the future;
// - take_last()'s CAS is the owner's, which knows its own place in the total order; it stays as in the paper.
TEST(deque_model, needs_every_other_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios),
              (std::set<std::string>{"make_room(): load acquire -> relaxed",
                                     "take_last(): compare_exchange seq_cst -> acq_rel",
                                     "try_steal(): load acquire -> relaxed"}));
}

}  // namespace
}  // namespace lazult
