// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::parker, ds::gate and ds::idle_wait: no wake-up is lost, and a claimed sleeper
// is not claimed again.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lazult {
namespace {

constexpr std::memory_order relaxed = std::memory_order_relaxed;

using atomics = model::model_atomics;
using parker = ds::parker<atomics>;
using lot = ds::parking_lot<atomics, 3>;
using gate = ds::gate<atomics, 3>;
using idle_wait = ds::idle_wait<atomics, 3>;

void claim_and_wait(model::run& run) {
    parker sleeper;
    model::model_var<int> data{0};
    run.label(sleeper, "parker");
    run.label(data, "data");
    sleeper.arm();
    run.thread("sleeper", [&] {
        model::check(sleeper.wait(), "it was claimed");
        model::check(data == 1, "what the claimer did is visible");
    });
    run.thread("claimer", [&] {
        data = 1;
        model::check(sleeper.claim(), "nobody else claims it");
    });
    run.join();
    model::check(!sleeper.claim(), "it is not armed any more");
}

void one_of_two_claims(model::run& run) {
    parker sleeper;
    int claims = 0;
    run.label(sleeper, "parker");
    sleeper.arm();
    run.thread("sleeper", [&] { sleeper.wait(); });
    for (const char* const name : {"claimer", "claimer 2"}) {
        run.thread(name, [&] { claims += sleeper.claim() ? 1 : 0; });
    }
    run.join();
    model::check(claims == 1, "one claim succeeds");
}

void claim_and_disarm(model::run& run) {
    parker sleeper;
    bool claimed = false;
    bool noticed = false;
    sleeper.arm();
    run.thread("sleeper", [&] { noticed = sleeper.disarm(); });
    run.thread("claimer", [&] { claimed = sleeper.claim(); });
    run.join();
    model::check(claimed == noticed, "both agree");
}

void claim_and_deadline(model::run& run) {
    parker sleeper;
    bool claimed = false;
    bool noticed = false;
    sleeper.arm();
    run.thread("sleeper", [&] { noticed = sleeper.wait(1); });
    run.thread("claimer", [&] { claimed = sleeper.claim(); });
    run.join();
    model::check(claimed == noticed, "both agree");
}

// The second wait of a reused parker: its claimer sees what the owner did before arming it.
void owner_arms_again(model::run& run) {
    parker sleeper;
    model::model_var<int> data{0};
    run.label(sleeper, "parker");
    run.label(data, "data");
    run.thread("owner", [&] {
        data = 1;
        sleeper.arm();
        sleeper.wait(1);
    });
    run.thread("claimer", [&] {
        if (sleeper.claim()) {
            model::check(data == 1, "what the owner did is visible");
        }
    });
    run.join();
}

const std::vector<model::scenario> parker_scenarios = {
    {"claim_and_wait", claim_and_wait},     {"one_of_two_claims", one_of_two_claims},
    {"claim_and_disarm", claim_and_disarm}, {"claim_and_deadline", claim_and_deadline},
    {"owner_arms_again", owner_arms_again},
};

// A pool is a counter: pushes are relaxed, as the event count must bring the order itself.
struct pool {
    explicit pool(lot& sleepers) : door(sleepers) {}
    void push() {
        pieces.fetch_add(1, relaxed);
        door.notify();
    }
    bool pop() {
        int seen = pieces.load(relaxed);
        while (seen > 0) {
            if (pieces.compare_exchange_strong(seen, seen - 1, relaxed, relaxed)) {
                return true;
            }
        }
        return false;
    }
    bool has_work() { return pieces.load(relaxed) > 0; }

    atomics::atomic<int> pieces{0};
    gate door;
};

struct machine {
    lot sleepers;
    pool first{sleepers};
    pool second{sleepers};

    explicit machine(model::run& run) {
        run.label(first, "first");
        run.label(second, "second");
        run.label(sleepers, "lot");
    }

    // A stream that ends when it has done so many pieces of work. No containers: see model.hpp.
    void stream(unsigned slot, std::initializer_list<pool*> pools, unsigned pieces) {
        std::array<gate*, 2> doors{};
        std::transform(pools.begin(), pools.end(), doors.begin(),
                       [](pool* each) { return &each->door; });
        for (unsigned done = 0; done < pieces;) {
            if (std::any_of(pools.begin(), pools.end(), [](pool* each) { return each->pop(); })) {
                ++done;
                continue;
            }
            idle_wait wait(sleepers, slot, std::span(doors).first(pools.size()));
            wait.prepare();
            if (std::any_of(pools.begin(), pools.end(),
                            [](pool* each) { return each->has_work(); })) {
                wait.cancel();
            } else {
                wait.commit();
            }
        }
    }
};

void one_sleeper(model::run& run) {
    machine shared(run);
    run.thread("stream", [&] { shared.stream(0, {&shared.first}, 1); });
    run.thread("producer", [&] { shared.first.push(); });
    run.join();
}

void two_pieces(model::run& run) {
    machine shared(run);
    run.thread("stream", [&] { shared.stream(0, {&shared.first}, 2); });
    run.thread("producer", [&] { shared.first.push(); });
    run.thread("producer 2", [&] { shared.first.push(); });
    run.join();
}

// Each stream ends after one piece, so each push must reach a stream of its own.
void two_sleepers(model::run& run) {
    machine shared(run);
    run.thread("stream", [&] { shared.stream(0, {&shared.first}, 1); });
    run.thread("stream 2", [&] { shared.stream(1, {&shared.first}, 1); });
    run.thread("producer", [&] {
        shared.first.push();
        shared.first.push();
    });
    run.join();
}

void two_gates(model::run& run) {
    machine shared(run);
    run.thread("stream", [&] { shared.stream(0, {&shared.first, &shared.second}, 2); });
    run.thread("producer", [&] { shared.first.push(); });
    run.thread("producer 2", [&] { shared.second.push(); });
    run.join();
}

// The first stream serves both gates and ends after one piece; what it does not take is the second
// stream's.
void passes_on(model::run& run) {
    machine shared(run);
    run.thread("both", [&] {
        shared.stream(0, {&shared.first, &shared.second}, 1);
        shared.first.door.notify();  // it leaves for good
        shared.second.door.notify();
    });
    run.thread("second only", [&] { shared.stream(1, {&shared.second}, 1); });
    run.thread("producer", [&] {
        shared.second.push();
        shared.second.push();
    });
    run.join();
}

// The first stream serves both gates, and finds work in the first one that takes as long as there
// is work in the second. A waker of the second gate that claimed it meanwhile counts on it: so it
// offers that work to the other stream.
struct busy_machine : machine {
    using machine::machine;
    atomics::atomic<int> second_done{0};

    void do_second() {
        second_done.store(1, relaxed);
        sleepers.wake(1);
    }
    void busy_stream() {
        std::array<gate*, 2> doors{&first.door, &second.door};
        while (!first.pop()) {
            if (second.pop()) {
                do_second();
                continue;
            }
            sleep(0, doors, [this] { return first.has_work() || second.has_work(); });
        }
        while (second_done.load(relaxed) == 0) {
            atomics::pause();
        }
    }
    void other_stream() {
        std::array<gate*, 1> doors{&second.door};
        while (second_done.load(relaxed) == 0) {
            if (second.pop()) {
                do_second();
                continue;
            }
            sleep(1, doors, [this] { return second.has_work() || second_done.load(relaxed) != 0; });
        }
    }

private:
    template <class HasReason>
    void sleep(unsigned slot, std::span<gate* const> doors, HasReason has_reason) {
        idle_wait wait(sleepers, slot, doors);
        wait.prepare();
        if (has_reason()) {
            wait.cancel();
        } else {
            wait.commit();
        }
    }
};

void passes_on_while_it_is_busy(model::run& run) {
    busy_machine shared(run);
    run.thread("both", [&] { shared.busy_stream(); });
    run.thread("second only", [&] { shared.other_stream(); });
    run.thread("producer", [&] {
        shared.first.push();
        shared.second.push();
    });
    run.join();
}

// A claimed sleeper is not claimed by the next notify, even before it has run.
void claims_one_each(model::run& run) {
    lot sleepers;
    gate door{sleepers};
    std::array<gate*, 1> doors{&door};
    run.label(door, "door");
    int woken = 0;
    for (const unsigned slot : {0U, 1U}) {
        run.thread("stream", [&, slot] {
            idle_wait wait(sleepers, slot, doors);
            wait.prepare();
            woken += wait.commit(1) ? 1 : 0;
        });
    }
    run.thread("producer", [&] {
        door.notify();
        door.notify();
    });
    run.join();
    model::check(woken <= 2, "no more than notified");
}

// A message to one stream, not through a gate.
void wakes_a_slot(model::run& run) {
    machine shared(run);
    atomics::atomic<int> stop{0};
    std::array<gate*, 1> doors{&shared.first.door};
    run.thread("stream", [&] {
        while (stop.load(relaxed) == 0) {
            idle_wait wait(shared.sleepers, 0, doors);
            wait.prepare();
            if (stop.load(relaxed) != 0) {
                wait.cancel();
            } else {
                wait.commit();
            }
        }
    });
    run.thread("master", [&] {
        stop.store(1, relaxed);
        shared.sleepers.wake(0);
    });
    run.join();
}

void notifies_all(model::run& run) {
    machine shared(run);
    atomics::atomic<int> stop{0};
    std::array<gate*, 1> doors{&shared.first.door};
    for (const unsigned slot : {0U, 1U}) {
        run.thread(slot == 0 ? "stream" : "stream 2", [&, slot] {
            while (stop.load(relaxed) == 0) {
                idle_wait wait(shared.sleepers, slot, doors);
                wait.prepare();
                if (stop.load(relaxed) != 0) {
                    wait.cancel();
                } else {
                    wait.commit();
                }
            }
        });
    }
    run.thread("master", [&] {
        stop.store(1, relaxed);
        shared.first.door.notify_all();
    });
    run.join();
}

// A stream that serves the first pool, and learns of the second when it looks whether there is a
// new one, as thieves do.
class learner {
public:
    learner(machine& shared, atomics::atomic<int>& is_open) : shared_(shared), is_open_(is_open) {}

    bool has_news() { return !knows_ && is_open_.load(relaxed) != 0; }
    void learn() { knows_ = knows_ || has_news(); }
    bool takes_from_second() { return knows_ && shared_.second.pop(); }

    // As scheduler::wait().
    void wait() {
        learn();
        std::array<gate*, 2> doors{&shared_.first.door, &shared_.second.door};
        idle_wait wait(shared_.sleepers, 0, std::span(doors).first(knows_ ? 2 : 1));
        wait.prepare();
        if (!has_news() && !shared_.first.has_work() && !(knows_ && shared_.second.has_work())) {
            wait.commit();
        } else {
            wait.cancel();
        }
        if (has_news() && shared_.second.has_work() && !forgets_to_pass_on) {
            shared_.second.door.notify();
        }
    }

    // It takes no more from the pools that it knows, where it may have been claimed.
    void leave_for_good() {
        if (knows_) {
            shared_.second.door.notify();
        }
    }

    bool forgets_to_pass_on = false;

private:
    machine& shared_;
    atomics::atomic<int>& is_open_;
    bool knows_ = false;
};

// The second pool begins while the stream may be asleep, and so may not know it.
void gate_opens_later(model::run& run) {
    machine shared(run);
    atomics::atomic<int> is_open{0};
    run.label(is_open, "is_open");
    run.thread("stream", [&] {
        learner thief(shared, is_open);
        while (!thief.takes_from_second()) {
            thief.wait();
        }
    });
    run.thread("opener", [&] {
        is_open.store(1, relaxed);
        shared.second.door.expect(0);
        shared.second.push();
    });
    run.join();
}

// The first stream is called to the new pool, and may find a piece in the first one. Then the other
// one has to hear of it.
void call_one_of_two(model::run& run, bool passes_on) {
    machine shared(run);
    atomics::atomic<int> is_open{0};
    atomics::atomic<int> stop{0};
    run.label(is_open, "is_open");
    run.thread("stream", [&] {
        learner thief(shared, is_open);
        thief.forgets_to_pass_on = !passes_on;
        while (!shared.first.pop()) {
            if (thief.takes_from_second()) {
                stop.store(1, relaxed);
                shared.sleepers.wake(1);
            }
            thief.wait();
        }
        thief.leave_for_good();
    });
    run.thread("second only", [&] {
        std::array<gate*, 1> doors{&shared.second.door};
        while (!shared.second.pop() && stop.load(relaxed) == 0) {
            idle_wait wait(shared.sleepers, 1, doors);
            wait.prepare();
            if (shared.second.has_work() || stop.load(relaxed) != 0) {
                wait.cancel();
            } else {
                wait.commit();
            }
        }
    });
    run.thread("opener", [&] {
        is_open.store(1, relaxed);
        shared.second.door.expect(0);
        shared.second.push();
        shared.first.push();
    });
    run.join();
}

void is_called_elsewhere(model::run& run) { call_one_of_two(run, true); }
void is_called_elsewhere_and_keeps_it(model::run& run) { call_one_of_two(run, false); }

// A slot that its stream gives back is called no more.
void gate_forgets_a_slot(model::run& run) {
    lot sleepers;
    gate door{sleepers};
    run.label(door, "door");
    door.expect(0);
    door.expect(0);
    door.expect(1);
    bool woken[2] = {false, false};
    door.forget(0);
    for (const unsigned slot : {0U, 1U}) {
        run.thread(slot == 0 ? "another's stream" : "stream", [&, slot] {
            std::array<gate*, 1> none{};
            idle_wait wait(sleepers, slot, std::span(none).first(0));
            wait.prepare();
            woken[slot] = wait.commit(1);
        });
    }
    run.thread("producer", [&] { door.notify_all(); });
    run.join();
    model::check(!woken[0], "the slot was forgotten");
}

void slots_change_hands(model::run& run) {
    lot sleepers;
    model::model_var<int> owned{0};
    for (const char* const name : {"stream", "stream 2"}) {
        run.thread(name, [&] {
            const unsigned slot = sleepers.take_slot();
            model::check(slot != lot::no_slot, "there are enough");
            if (slot == 0) {
                owned = owned + 1;
            }
            sleepers.give_slot(slot);
        });
    }
    run.join();
}

const std::vector<model::scenario> gate_scenarios = {
    {"slots_change_hands", slots_change_hands},
    {"one_sleeper", one_sleeper},
    {"wakes_a_slot", wakes_a_slot},
    {"two_pieces", two_pieces, 2},
    {"notifies_all", notifies_all, 2},
    {"claims_one_each", claims_one_each, 1},
    {"two_gates", two_gates, 2},
    {"two_sleepers", two_sleepers, 2},
    {"passes_on", passes_on, 2},
    {"gate_opens_later", gate_opens_later},
    {"is_called_elsewhere", is_called_elsewhere, 1},
    {"gate_forgets_a_slot", gate_forgets_a_slot, 2},
    {"passes_on_while_it_is_busy", passes_on_while_it_is_busy, 1},
};

TEST(parker_model, is_claimed_once) { model::expect_sound(parker_scenarios); }

TEST(parker_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(parker_scenarios), std::set<std::string>{});
}

TEST(event_count_model, loses_no_wake_up) { model::expect_sound(gate_scenarios); }

TEST(event_count_model, a_call_to_a_new_pool_that_is_not_passed_on_is_lost) {
    model::options limits;
    limits.preemptions = 1;
    EXPECT_TRUE(model::explore(limits, is_called_elsewhere_and_keeps_it).failed);
}

TEST(event_count_model, needs_both_barriers) {
    for (const model::weakening& mistake :
         {model::weakening{"notify", model::operation::light_barrier},
          model::weakening{"prepare", model::operation::heavy_barrier},
          model::weakening{"wake", model::operation::light_barrier},
          model::weakening{"notify_many", model::operation::light_barrier}}) {
        EXPECT_TRUE(model::is_noticed(mistake, gate_scenarios)) << model::describe(mistake);
    }
}

// arm(), claim() and disarm() are the parker's: its own scenarios need them.
TEST(event_count_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    std::vector<model::scenario> all = parker_scenarios;
    all.insert(all.end(), gate_scenarios.begin(), gate_scenarios.end());
    EXPECT_EQ(model::unnoticed_mistakes(all), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
