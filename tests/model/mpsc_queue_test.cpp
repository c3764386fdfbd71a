// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::mpsc_queue: nothing is lost, each producer's elements come in order, and one
// producer learns that the queue was empty.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

struct item {
    model::model_var<item*> next{nullptr};
    model::model_var<int> payload{0};
    int takers = 0;
};

struct work {
    ds::mpsc_queue<item, &item::next, model::model_atomics> queue;
    std::array<item, 3> items;
    int told_empty = 0;
    std::vector<int> order;

    explicit work(model::run& run) {
        run.label(queue, "queue");
        run.label(items, "items");
    }
    void push(unsigned index) {
        items[index].payload = 1;
        told_empty += queue.push(&items[index]) ? 1 : 0;
    }
    int take_all() {
        int taken = 0;
        for (item* each = queue.take_all(); each != nullptr; ++taken) {
            model::check(each->payload == 1, "the payload came along");
            ++each->takers;
            order.push_back(static_cast<int>(each - items.data()));
            each = each->next;
        }
        return taken;
    }
    void expect_taken_once() {
        take_all();
        for (const item& each : items) {
            model::check(each.takers == 1, "each element is taken once");
        }
    }
};

void two_producers(model::run& run) {
    work shared(run);
    run.thread("producer", [&] {
        shared.push(0);
        shared.push(1);
    });
    run.thread("producer 2", [&] { shared.push(2); });
    run.join();
    model::check(shared.told_empty == 1, "one producer found it empty");
    shared.expect_taken_once();
    model::check(std::find(shared.order.begin(), shared.order.end(), 0) <
                     std::find(shared.order.begin(), shared.order.end(), 1),
                 "first in, first out");
}

void two_producers_and_the_consumer(model::run& run) {
    work shared(run);
    int batches = 0;
    run.thread("producer", [&] {
        shared.push(0);
        shared.push(1);
    });
    run.thread("producer 2", [&] { shared.push(2); });
    run.thread("consumer", [&] {
        batches += shared.take_all() > 0 ? 1 : 0;
        batches += shared.take_all() > 0 ? 1 : 0;
    });
    run.join();
    batches += shared.take_all() > 0 ? 1 : 0;
    model::check(shared.told_empty == batches, "one producer of each batch found it empty");
    shared.expect_taken_once();
}

// An element goes round: the consumer pushes again what it took.
void elements_return(model::run& run) {
    work shared(run);
    shared.push(0);
    run.thread("producer", [&] { shared.push(1); });
    run.thread("consumer", [&] {
        item* const taken = shared.queue.take_all();
        model::check(taken != nullptr, "it was there from the beginning");
        item* const second = taken->next;
        shared.queue.push(taken);
        if (second != nullptr) {
            shared.queue.push(second);
        }
        shared.push(2);
    });
    run.join();
    shared.expect_taken_once();
}

const std::vector<model::scenario> scenarios = {
    {"two_producers", two_producers},
    {"two_producers_and_the_consumer", two_producers_and_the_consumer},
    {"elements_return", elements_return},
};

TEST(mpsc_queue_model, loses_and_doubles_nothing) { model::expect_sound(scenarios); }

TEST(mpsc_queue_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
