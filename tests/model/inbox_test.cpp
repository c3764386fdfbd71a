// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::inbox: each pushed element is taken once, by a taker or by the closer, or the
// push is refused.
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

struct alignas(64) item {
    model::model_var<item*> next{nullptr};
    model::model_var<int> payload{0};
    int takers = 0;
};

struct work {
    ds::inbox<item, &item::next, model::model_atomics> inbox;
    std::array<item, 3> items;
    std::vector<int> order;

    explicit work(model::run& run) {
        run.label(inbox, "inbox");
        run.label(items, "items");
    }
    // If the inbox refuses the element, the pusher takes it back.
    void push(unsigned index) {
        items[index].payload = 1;
        if (!inbox.push(&items[index])) {
            ++items[index].takers;
        }
    }
    void count(item* batch) {
        for (item* each = batch; each != nullptr; each = each->next) {
            model::check(each->payload == 1, "the payload came along");
            each->payload = 2;
            ++each->takers;
            order.push_back(static_cast<int>(each - items.data()));
        }
    }
    void count_only(item* only) {
        if (only != nullptr) {
            model::check(only->payload == 1, "the payload came along");
            only->payload = 2;
            ++only->takers;
        }
    }
    void expect_each_once(unsigned pushed) {
        count(inbox.close());
        for (unsigned i = 0; i < pushed; ++i) {
            model::check(items[i].takers == 1, "each element is taken once, or refused");
        }
    }
};

void a_producer_a_consumer_and_a_closer(model::run& run) {
    work shared(run);
    shared.inbox.open();
    run.thread("producer", [&] {
        shared.push(0);
        shared.push(1);
    });
    run.thread("consumer", [&] { shared.count(shared.inbox.take_all()); });
    run.thread("closer", [&] { shared.count(shared.inbox.close()); });
    run.join();
    model::check(shared.inbox.is_closed(), "who takes does not open it");
    shared.expect_each_once(2);
}

void one_at_a_time(model::run& run) {
    work shared(run);
    shared.inbox.open();
    run.thread("producer", [&] {
        shared.push(0);
        shared.push(1);
    });
    run.thread("consumer", [&] {
        shared.count_only(shared.inbox.take_only());
        shared.count_only(shared.inbox.take_only());
    });
    run.join();
    shared.expect_each_once(2);
}

void two_producers(model::run& run) {
    work shared(run);
    shared.inbox.open();
    run.thread("producer", [&] {
        shared.push(0);
        shared.push(1);
    });
    run.thread("producer 2", [&] { shared.push(2); });
    run.join();
    shared.expect_each_once(3);
    model::check(std::find(shared.order.begin(), shared.order.end(), 0) <
                     std::find(shared.order.begin(), shared.order.end(), 1),
                 "first in, first out");
}

// What the closer did before is visible to a producer that finds the inbox closed, and to a thread
// that sees that it is empty.
void a_closer_is_heard(model::run& run) {
    work shared(run);
    shared.inbox.open();
    shared.push(0);
    model::model_atomics::atomic<int> announced{0};
    run.label(announced, "announced");
    run.thread("closer", [&] {
        announced.store(1, std::memory_order_relaxed);
        shared.count(shared.inbox.close());
    });
    run.thread("who looks", [&] {
        if (shared.inbox.size_estimate() == 0) {
            model::check(announced.load(std::memory_order_relaxed) == 1,
                         "it does not seem to be empty before");
        }
    });
    run.thread("who looks otherwise", [&] {
        if (shared.inbox.empty_estimate()) {
            model::check(announced.load(std::memory_order_relaxed) == 1,
                         "it does not seem to be empty before");
        }
    });
    run.join();
    shared.expect_each_once(1);
}

// The same for a taker that takes all without closing, and for a producer that is refused.
void a_taker_and_a_refusal_are_heard(model::run& run) {
    work shared(run);
    shared.inbox.open();
    shared.push(0);
    model::model_atomics::atomic<int> announced{0};
    model::model_atomics::atomic<int> closing{0};
    run.label(announced, "announced");
    run.label(closing, "closing");
    run.thread("taker", [&] {
        announced.store(1, std::memory_order_relaxed);
        shared.count(shared.inbox.take_all());
        closing.store(1, std::memory_order_relaxed);
        shared.count(shared.inbox.close());
    });
    run.thread("who looks", [&] {
        if (shared.inbox.empty_estimate()) {
            model::check(announced.load(std::memory_order_relaxed) == 1,
                         "it does not seem to be empty before");
        }
    });
    run.thread("producer", [&] {
        shared.items[1].payload = 1;
        if (!shared.inbox.push(&shared.items[1])) {
            ++shared.items[1].takers;
            model::check(closing.load(std::memory_order_relaxed) == 1, "it was closed before");
        }
    });
    run.join();
    shared.expect_each_once(2);
}

void it_is_opened_again(model::run& run) {
    work shared(run);
    run.thread("owner", [&] {
        shared.inbox.open();
        shared.count(shared.inbox.take_all());
    });
    run.thread("producer", [&] { shared.push(0); });
    run.thread("closer", [&] { shared.count(shared.inbox.close()); });
    run.join();
    shared.expect_each_once(1);
}

const std::vector<model::scenario> scenarios = {
    {"a_producer_a_consumer_and_a_closer", a_producer_a_consumer_and_a_closer},
    {"one_at_a_time", one_at_a_time},
    {"two_producers", two_producers},
    {"a_closer_is_heard", a_closer_is_heard},
    {"a_taker_and_a_refusal_are_heard", a_taker_and_a_refusal_are_heard},
    {"it_is_opened_again", it_is_opened_again},
};

TEST(inbox_model, loses_and_doubles_nothing) { model::expect_sound(scenarios); }

TEST(inbox_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
