// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::owned_fifo: its owner uses it without a locked instruction, and other threads
// take from it meanwhile. Each element is taken once, in order, with what its pusher wrote.
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
    model::model_var<item*> next{nullptr};
    model::model_var<int> payload{0};
    int takers = 0;
    model::model_atomics::atomic<bool> ready{true};
};

struct work {
    ds::owned_fifo<item, &item::next, model::model_atomics> queue;
    std::array<item, 3> items;

    explicit work(model::run& run) {
        run.label(queue, "queue");
        run.label(items, "items");
    }
    item* prepare(unsigned index) {
        items[index].payload = 1;
        return &items[index];
    }
    // If the queue refuses the element, the pusher takes it back.
    void push(unsigned index) {
        if (!queue.push(prepare(index))) {
            ++items[index].takers;
        }
    }
    static void count(item* taken) {
        if (taken != nullptr) {
            model::check(taken->payload == 1, "the payload came along");
            taken->payload = 2;
            ++taken->takers;
        }
    }
    item* take() {
        item* const taken =
            queue.take([](const item& each) { return each.ready.load(std::memory_order_acquire); });
        count(taken);
        return taken;
    }
    // As a lender does: it leaves the first element, which must stay.
    item* take_behind_first() {
        item* const taken = queue.take_any([this](const item& each) { return &each != &items[0]; });
        count(taken);
        return taken;
    }
    void remove(unsigned index) {
        if (queue.remove(&items[index])) {
            count(&items[index]);
        }
    }
    bool remove_front(unsigned index) {
        const bool had = queue.remove_front(&items[index]);
        if (had) {
            count(&items[index]);
        }
        return had;
    }
    item* pop() {
        item* const popped = queue.pop();
        count(popped);
        return popped;
    }
    void expect_each_once(unsigned pushed) {
        while (pop() != nullptr) {
        }
        model::check(queue.empty_estimate(), "the count is exact when nobody works on the queue");
        for (unsigned i = 0; i < pushed; ++i) {
            model::check(items[i].takers == 1, "each element is taken once, or refused");
        }
    }
};

void an_owner_and_a_taker(model::run& run) {
    work shared(run);
    shared.push(0);
    run.thread("owner", [&] {
        shared.push(1);
        shared.pop();
    });
    run.thread("taker", [&] {
        shared.take();
        shared.take();
    });
    run.join();
    shared.expect_each_once(2);
}

void two_takers(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] { shared.push(2); });
    run.thread("taker", [&] { shared.take(); });
    run.thread("taker 2", [&] { shared.take(); });
    run.join();
    shared.expect_each_once(3);
}

// As core/worker/steal_lane.hpp, change_turns(): the element that is put there becomes ready later,
// when the first one is had.
void one_that_is_not_ready_yet(model::run& run) {
    work shared(run);
    shared.push(0);
    run.thread("owner", [&] {
        item* const first = shared.queue.rotate(
            &shared.items[1], [](item& it) { it.ready.store(false, std::memory_order_relaxed); });
        if (first != nullptr) {
            shared.items[1].payload = 1;
            shared.items[1].ready.store(true, std::memory_order_release);
            work::count(first);
        } else {
            ++shared.items[1].takers;
        }
        shared.pop();
    });
    run.thread("taker", [&] {
        shared.take();
        shared.take();
    });
    run.join();
    shared.expect_each_once(2);
}

// A thread that looks sees complete elements, in order. The elements that it sees are not taken
// meanwhile, and stay in the queue.
void who_looks(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        shared.pop();
        shared.push(2);
    });
    run.thread("who looks", [&] {
        item* before = nullptr;
        shared.queue.for_each(false, [&](item* each) {
            model::check(each->payload == 1, "it has not been taken");
            model::check(before == nullptr || before < each, "first in, first out");
            before = each;
        });
    });
    run.join();
    shared.expect_each_once(3);
}

void the_owner_looks(model::run& run) {
    work shared(run);
    shared.push(0);
    run.thread("owner", [&] {
        shared.queue.for_each(
            true, [](item* each) { model::check(each->payload == 1, "it has not been taken"); });
    });
    run.thread("taker", [&] { shared.take(); });
    run.join();
    shared.expect_each_once(1);
}

// A taker takes an element from the middle while the owner comes back.
void a_taker_that_lets_one_stay(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        shared.push(2);
        shared.pop();
    });
    run.thread("taker", [&] {
        shared.take_behind_first();
        shared.take_behind_first();
    });
    run.join();
    shared.expect_each_once(3);
}

// The element that the taker unlinks may be the last one, behind which the owner adds the next.
void the_last_is_taken(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] { shared.push(2); });
    run.thread("taker", [&] { shared.take_behind_first(); });
    run.join();
    shared.expect_each_once(3);
}

void the_owner_removes_one(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        shared.remove(1);
        shared.push(2);
    });
    run.thread("taker", [&] { shared.take_behind_first(); });
    run.join();
    shared.expect_each_once(3);
}

// As a joiner does with its child: it takes no other.
void the_owner_removes_the_front(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    run.thread("owner", [&] {
        shared.remove_front(1);
        shared.push(2);
    });
    run.thread("taker", [&] { shared.take(); });
    run.join();
    shared.expect_each_once(3);
}

// Nobody disturbs the owner: it gets what stands in front, and nothing else.
void the_owner_alone_removes_the_front(model::run& run) {
    work shared(run);
    shared.push(0);
    shared.push(1);
    model::check(!shared.remove_front(1), "another one stands in front");
    model::check(shared.remove_front(0), "it stands in front");
    model::check(shared.remove_front(1), "it stands in front now");
    model::check(!shared.remove_front(1), "it is not here");
    shared.expect_each_once(2);
}

const std::vector<model::scenario> scenarios = {
    {"an_owner_and_a_taker", an_owner_and_a_taker},
    {"two_takers", two_takers, 2},
    {"one_that_is_not_ready_yet", one_that_is_not_ready_yet},
    {"who_looks", who_looks},
    {"the_owner_looks", the_owner_looks},
    {"a_taker_that_lets_one_stay", a_taker_that_lets_one_stay},
    {"the_last_is_taken", the_last_is_taken},
    {"the_owner_removes_one", the_owner_removes_one},
    {"the_owner_removes_the_front", the_owner_removes_the_front},
    {"the_owner_alone_removes_the_front", the_owner_alone_removes_the_front},
};

TEST(owned_fifo_model, loses_and_doubles_nothing) { model::expect_sound(scenarios); }

bool fails(void (*body)(model::run&)) {
    return model::explore(model::limits_of({"", body}), body).failed;
}

// A taker that does not ask whether the element is ready has it before its owner is done with it.
void a_taker_that_does_not_ask(model::run& run) {
    work shared(run);
    shared.push(0);
    run.thread("owner", [&] {
        if (shared.queue.rotate(&shared.items[1], [](item&) {}) != nullptr) {
            shared.items[1].payload = 1;
        }
    });
    run.thread("taker", [&] { work::count(shared.queue.take([](const item&) { return true; })); });
    run.join();
}

TEST(owned_fifo_model, an_element_that_is_not_ready_is_not_for_others) {
    EXPECT_TRUE(fails(a_taker_that_does_not_ask));
}

// Every memory order is needed: no weakening goes unnoticed.
TEST(owned_fifo_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "this build looks for something else";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
