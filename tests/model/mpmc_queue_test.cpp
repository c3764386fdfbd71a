// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::mpmc_queue: nothing is lost or taken twice, each producer's elements come out
// in order, and nodes change hands safely within a queue and between two.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using node = ds::mpmc_node<model::model_atomics>;

// Two dummies and a node for each of four elements, made anew in each execution.
struct node_store {
    node_store() { current = this; }
    std::array<node, 6> nodes;
    unsigned next = 0;
    static node_store* current;
};
node_store* node_store::current = nullptr;

struct item {
    model::model_var<int> payload{0};
    model::model_var<int> takers{0};
    node* own_node = nullptr;
};

struct traits {
    static node*& node_of(item* element) { return element->own_node; }
    static node* take_node() { return &node_store::current->nodes[node_store::current->next++]; }
    static void give_node(node*) {}
};

using queue = ds::mpmc_queue<item, traits, model::model_atomics>;

struct work {
    node_store store;
    queue first;
    queue second;
    std::array<item, 4> items;

    explicit work(model::run& run) {
        run.label(first, "first");
        run.label(second, "second");
        run.label(items, "items");
        run.label(store, "nodes");
        for (item& each : items) {
            each.own_node = traits::take_node();
        }
    }
    void push(queue& to, unsigned index) {
        items[index].payload = static_cast<int>(index + 1);
        to.push(&items[index]);
    }
    // The index of the element, or -1.
    int pop(queue& from) {
        item* const taken = from.pop();
        if (taken == nullptr) {
            return -1;
        }
        const int index = static_cast<int>(taken - items.data());
        model::check(taken->payload == index + 1, "the payload came along");
        taken->takers = taken->takers + 1;
        return index;
    }
    void expect_taken_once(unsigned pushed) {
        while (pop(first) >= 0 || pop(second) >= 0) {
        }
        std::set<node*> owned;
        for (unsigned index = 0; index < items.size(); ++index) {
            model::check(items[index].takers == (index < pushed ? 1 : 0),
                         "each element is taken once");
            owned.insert(items[index].own_node);
        }
        model::check(owned.size() == items.size(), "each element owns a node of its own");
    }
};

void two_producers(model::run& run) {
    work shared(run);
    run.thread("producer", [&] { shared.push(shared.first, 0); });
    run.thread("producer 2", [&] { shared.push(shared.first, 1); });
    run.join();
    model::check(shared.first.size_estimate() == 2, "both are counted");
    shared.expect_taken_once(2);
}

void producer_and_consumer(model::run& run) {
    work shared(run);
    int before = -1;
    int after = -1;
    run.thread("producer", [&] {
        shared.push(shared.first, 0);
        shared.push(shared.first, 1);
    });
    run.thread("consumer", [&] {
        before = shared.pop(shared.first);
        after = shared.pop(shared.first);
    });
    run.join();
    model::check(before != 1 && (before == 0 || after != 1), "first in, first out");
    shared.expect_taken_once(2);
}

void two_consumers(model::run& run) {
    work shared(run);
    shared.push(shared.first, 0);
    shared.push(shared.first, 1);
    int one = -1;
    int other = -1;
    run.thread("consumer", [&] { one = shared.pop(shared.first); });
    run.thread("consumer 2", [&] { other = shared.pop(shared.first); });
    run.join();
    model::check(one >= 0 && other >= 0 && one != other, "both find one");
    shared.expect_taken_once(2);
}

void producer_and_two_consumers(model::run& run) {
    work shared(run);
    shared.push(shared.first, 0);
    run.thread("producer", [&] { shared.push(shared.first, 1); });
    run.thread("consumer", [&] { shared.pop(shared.first); });
    run.thread("consumer 2", [&] { shared.pop(shared.first); });
    run.join();
    shared.expect_taken_once(2);
}

void two_producers_and_a_consumer(model::run& run) {
    work shared(run);
    run.thread("producer", [&] { shared.push(shared.first, 0); });
    run.thread("producer 2", [&] { shared.push(shared.first, 1); });
    run.thread("consumer", [&] { shared.pop(shared.first); });
    run.join();
    shared.expect_taken_once(2);
}

// A popped element is pushed again at once, with the node of another: the slow thread works on
// nodes that moved.
void nodes_move_within_a_queue(model::run& run) {
    work shared(run);
    shared.push(shared.first, 0);
    run.thread("mover", [&] {
        item* const moved = shared.first.pop();
        if (moved != nullptr) {
            shared.first.push(moved);
        }
    });
    run.thread("producer", [&] { shared.push(shared.first, 1); });
    run.join();
    shared.expect_taken_once(2);
}

void nodes_move_between_queues(model::run& run) {
    work shared(run);
    shared.push(shared.first, 0);
    item* moved = nullptr;
    run.thread("mover", [&] {
        shared.push(shared.first, 1);
        shared.pop(shared.first);
        moved = shared.first.pop();
        if (moved != nullptr) {
            shared.second.push(moved);
        }
    });
    run.thread("producer", [&] { shared.push(shared.first, 2); });
    run.join();
    model::check(shared.pop(shared.first) == (moved == &shared.items[2] ? 1 : 2),
                 "what was pushed to the first queue and not moved is there");
    shared.expect_taken_once(3);
}

void consumer_of_a_queue_whose_nodes_move(model::run& run) {
    work shared(run);
    shared.push(shared.first, 0);
    shared.push(shared.first, 1);
    run.thread("mover", [&] {
        for (int each = 0; each < 2; ++each) {
            item* const moved = shared.first.pop();
            if (moved != nullptr) {
                shared.second.push(moved);
            }
        }
    });
    run.thread("consumer", [&] { shared.pop(shared.first); });
    run.join();
    shared.expect_taken_once(2);
}

// The old dummy comes back as the tail, and leaves again for another queue.
void nodes_come_back(model::run& run) {
    work shared(run);
    shared.push(shared.first, 0);
    run.thread("mover", [&] {
        for (queue* const to : {&shared.first, &shared.second}) {
            item* const moved = shared.first.pop();
            if (moved != nullptr) {
                to->push(moved);
            }
        }
    });
    run.thread("consumer", [&] { shared.pop(shared.first); });
    run.join();
    shared.expect_taken_once(1);
}

// The old dummy comes back as the dummy: a slow thread must not take its next for what it was
// before. Nor is emptiness claimed while an element is there that the thread knows of.
void elements_go_round(model::run& run, int rounds, bool look_only) {
    work shared(run);
    shared.push(shared.first, 0);
    shared.push(shared.first, 1);
    run.thread("mover", [&] {
        for (int each = 0; each < rounds; ++each) {
            item* const moved = shared.first.pop();
            if (moved != nullptr) {
                shared.first.push(moved);
            }
        }
    });
    run.thread("reader", [&] {
        const bool there =
            look_only ? !shared.first.empty_estimate() : shared.pop(shared.first) >= 0;
        model::check(there, "there is always one");
    });
    run.join();
    model::check(!look_only || shared.first.size_estimate() == 2, "both are counted");
    model::check(!shared.first.empty_estimate(), "there is one left");
    shared.expect_taken_once(2);
    model::check(shared.first.empty_estimate() && shared.first.size_estimate() == 0,
                 "none is there");
}

const std::vector<model::scenario> scenarios = {
    {"two_producers", two_producers},
    {"producer_and_consumer", producer_and_consumer},
    {"two_consumers", two_consumers},
    {"producer_and_two_consumers", producer_and_two_consumers, 2},
    {"two_producers_and_a_consumer", two_producers_and_a_consumer, 2},
    {"nodes_move_within_a_queue", nodes_move_within_a_queue},
    {"nodes_move_between_queues", nodes_move_between_queues},
    {"consumer_of_a_queue_whose_nodes_move", consumer_of_a_queue_whose_nodes_move},
    {"nodes_come_back", nodes_come_back},
    {"elements_go_round", [](model::run& run) { elements_go_round(run, 3, false); }, 2},
    {"readers_look_at_elements_that_go_round",
     [](model::run& run) { elements_go_round(run, 3, true); }, 2},
    {"emptiness", [](model::run& run) { elements_go_round(run, 1, true); }},
};

TEST(mpmc_queue_model, loses_and_doubles_nothing) { model::expect_sound(scenarios); }

TEST(mpmc_queue_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
