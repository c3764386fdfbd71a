// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core::basic_steal_lane, with the deque and the gate that ship: its owner's fast
// paths against thieves that ask, get something or help themselves, and that sleep. Each unit is
// had once, and nobody sleeps while there is one.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace lazult {
namespace {

using atomics = model::model_atomics;
using gate = ds::gate<atomics, 2>;
using lot = ds::parking_lot<atomics, 2>;
using idle_wait = ds::idle_wait<atomics, 2>;

struct unit {
    model::model_var<int> what{0};
    model::model_var<unit*> next{nullptr};
    atomics::atomic<bool> left{true};  // the context of a work_unit

    bool goes_on = false;  // it has run before: by its owner

    int runs = 0;

    bool is_resumed() const { return goes_on; }
    void begin_to_leave() { left.store(false, std::memory_order_relaxed); }
    bool has_left() const { return left.load(std::memory_order_acquire); }
};
struct owner {};

using lane = core::basic_steal_lane<unit, owner, gate, atomics>;

// A pool as sched/stealing_pool.cpp has it. The inbox is one place for each unit, which is enough
// here.
template <class Lane = lane>
struct pool {
    lot sleepers;
    gate door{sleepers};
    owner here;
    Lane own{here, door, 4};
    std::array<unit, 3> units;
    std::array<atomics::atomic<unit*>, 3> inbox;
    unsigned given = 0;
    bool refuses = false;  // its inbox is full

    explicit pool(model::run& run) {
        run.label(own, "lane");
        run.label(inbox, "inbox");
        run.label(door, "gate");
    }

    static void run(unit* u) {
        model::check(u->what == 7, "what its creator wrote is visible");
        ++u->runs;
    }
    unit* prepare(std::size_t i) {
        units[i].what = 7;
        return &units[i];
    }

    // --- the owner
    void give() {
        const unsigned count = own.give(2, [this](unit& u) {
            if (refuses) {
                return false;
            }
            inbox[given++].store(&u, std::memory_order_release);
            return true;
        });
        door.notify_many(count);
    }
    // core/life/create.hpp, launch(), and push_other()
    void launch(std::size_t i) {
        unit* const u = prepare(i);
        if (own.is_open_for(&here) && own.has_room()) {
            own.push_into_room(u);
            return;
        }
        own.push(u);
        if (own.is_asked()) {
            give();
        }
    }
    // core/switch/suspend.cpp, make_ready()
    void resume(std::size_t i) {
        units[i].goes_on = true;
        launch(i);
    }
    // core/life/join.hpp, run_newest_in_place()
    bool join(std::size_t i) {
        if (!own.is_open_for(&here) || !own.is_newest(&units[i]) || !own.take_newest()) {
            return false;
        }
        run(&units[i]);
        return true;
    }
    // core/life/in_place.cpp, run_oldest_in_place()
    bool join_oldest(std::size_t i) {
        if (!own.is_open_for(&here) || !own.is_oldest(&units[i]) || !own.take_oldest(&units[i])) {
            return false;
        }
        run(&units[i]);
        return true;
    }
    // pop_other()
    unit* pop() {
        unit* const found = own.pop();
        if (own.is_asked()) {
            give();
        }
        return found != nullptr ? found : take_given();
    }
    // core/switch/host.hpp, pick_in_lane_for(), and the switch: the unit that runs gives way, and
    // another one runs.
    bool give_way(std::size_t i) {
        unit* const next = own.is_open_for(&here) ? own.change_turns(&units[i]) : nullptr;
        if (next != nullptr) {
            prepare(i);
            units[i].left.store(true, std::memory_order_release);
            run(next);
        } else {
            give_way_slowly(i);
        }
        return next != nullptr;
    }
    // core/switch/suspend.cpp, push_self()
    void give_way_slowly(std::size_t i) {
        if (!own.push_turn(prepare(i))) {
            inbox[given++].store(&units[i], std::memory_order_release);
            door.notify();
        } else if (own.is_asked()) {
            give();
        }
    }
    bool run_next() {
        unit* const u = pop();
        if (u != nullptr) {
            run(u);
        }
        return u != nullptr;
    }

    // --- anybody
    unit* take_given() {
        for (auto& place : inbox) {
            if (place.load(std::memory_order_relaxed) != nullptr) {
                if (unit* const u = place.exchange(nullptr, std::memory_order_acquire);
                    u != nullptr) {
                    return u;
                }
            }
        }
        return nullptr;
    }
    unit* steal(int patience) {
        unit* const u = take_given();
        return u != nullptr ? u : own.take_as_thief(patience, [this] { return take_given(); });
    }
    bool rob(int patience) {
        unit* const u = steal(patience);
        if (u != nullptr) {
            run(u);
        }
        return u != nullptr;
    }

    // sched/idle.cpp: registers, looks once more, sleeps.
    void sleep_as_thief() {
        gate* doors[] = {&door};
        idle_wait wait(sleepers, 0, doors);
        wait.prepare();
        if (own.empty_estimate() && nothing_is_given()) {
            wait.commit();
        } else {
            wait.cancel();
            atomics::pause();  // what is there may not have left yet
        }
    }
    bool nothing_is_given() const {
        return std::all_of(inbox.begin(), inbox.end(), [](const auto& place) {
            return place.load(std::memory_order_relaxed) == nullptr;
        });
    }

    void expect_each_once(std::size_t count) {
        while (run_next()) {
        }
        for (std::size_t i = 0; i < count; ++i) {
            model::check(units[i].runs == 1, "each unit runs once");
        }
    }
};

// The thief looks at the inbox no more often than that: the rest would be pauses, of which nothing
// hangs.
constexpr int hardly = 1;

// The last unit is both the newest and the oldest.
template <class Pool>
void the_only_one(model::run& run) {
    Pool shared(run);
    shared.launch(0);
    run.thread("owner", [&] { shared.join(0); });
    run.thread("thief", [&] { shared.rob(0); });
    run.join();
    shared.expect_each_once(1);
}

template <class Pool>
void joins_the_newest_of_two(model::run& run) {
    Pool shared(run);
    shared.launch(0);
    shared.launch(1);
    run.thread("owner", [&] {
        if (!shared.join(1)) {
            shared.run_next();
        }
        shared.run_next();
    });
    run.thread("thief", [&] { shared.rob(hardly); });
    run.join();
    shared.expect_each_once(2);
}

template <class Pool>
void joins_two_in_order(model::run& run) {
    Pool shared(run);
    shared.launch(0);
    shared.launch(1);
    run.thread("owner", [&] {
        for (std::size_t i : {0U, 1U}) {
            if (!shared.join_oldest(i)) {
                shared.run_next();
            }
        }
    });
    run.thread("thief", [&] { shared.rob(hardly); });
    run.join();
    shared.expect_each_once(2);
}

template <class Pool>
void creates_while_it_is_asked(model::run& run) {
    Pool shared(run);
    shared.launch(0);
    run.thread("owner", [&] {
        shared.launch(1);
        shared.join(1);
    });
    run.thread("thief", [&] {
        shared.rob(hardly);
        shared.rob(hardly);
    });
    run.join();
    shared.expect_each_once(2);
}

template <class Pool>
void cannot_give_what_is_asked_for(model::run& run) {
    Pool shared(run);
    shared.refuses = true;
    shared.launch(0);
    shared.launch(1);
    run.thread("owner", [&] { shared.run_next(); });
    run.thread("thief", [&] { shared.rob(hardly); });
    run.join();
    shared.expect_each_once(2);
}

// One unit gives way, and goes on when the newest has run.
template <class Pool>
void gives_way_to_the_newest(model::run& run) {
    Pool shared(run);
    shared.launch(0);
    run.thread("owner", [&] {
        shared.give_way(1);
        shared.run_next();
    });
    run.thread("thief", [&] {
        shared.rob(hardly);
        shared.rob(0);
    });
    run.join();
    shared.expect_each_once(2);
}

template <class Pool>
void gives_way_to_one_that_gave_way(model::run& run) {
    Pool shared(run);
    shared.give_way_slowly(0);
    run.thread("owner", [&] {
        shared.give_way(1);
        shared.run_next();
    });
    run.thread("thief", [&] {
        shared.rob(hardly);
        shared.rob(0);
    });
    run.join();
    shared.expect_each_once(2);
}

// The owner's unit gives way, and the owner does not come to its pool again.
template <class Pool>
void a_thief_that_sleeps_while_units_give_way(model::run& run) {
    Pool shared(run);
    shared.launch(0);
    run.thread("owner", [&] { shared.give_way(1); });
    run.thread("thief", [&] {
        while (shared.units[1].runs == 0) {
            if (!shared.rob(0)) {
                shared.sleep_as_thief();
            }
        }
    });
    run.join();
    shared.expect_each_once(2);
}

template <class Pool>
void two_thieves(model::run& run) {
    Pool shared(run);
    shared.launch(0);
    shared.launch(1);
    run.thread("owner", [&] { shared.run_next(); });
    run.thread("thief", [&] { shared.rob(0); });
    run.thread("thief 2", [&] { shared.rob(hardly); });
    run.join();
    shared.expect_each_once(2);
}

// The owner does not come to its pool again, so the thief helps itself.
template <class Pool>
void a_thief_that_sleeps(model::run& run) {
    Pool shared(run);
    run.thread("owner", [&] { shared.launch(0); });
    run.thread("thief", [&] {
        while (!shared.rob(0)) {
            shared.sleep_as_thief();
        }
    });
    run.join();
    model::check(shared.units[0].runs == 1, "the thief has run it");
}

// The owner keeps the unit for itself, and does not come to its pool again. The thief had asked
// ahead.
template <class Pool>
void a_thief_that_sleeps_while_a_unit_is_kept(model::run& run) {
    Pool shared(run);
    run.thread("owner", [&] { shared.resume(0); });
    run.thread("thief", [&] {
        shared.own.ask_ahead();
        while (!shared.rob(0)) {
            shared.sleep_as_thief();
        }
    });
    run.join();
    model::check(shared.units[0].runs == 1, "the thief has run it");
}

template <class Pool>
void keeps_what_goes_on(model::run& run) {
    Pool shared(run);
    shared.own.ask_ahead();
    run.thread("owner", [&] {
        shared.resume(0);
        shared.launch(1);
        shared.run_next();
    });
    run.thread("thief", [&] {
        shared.rob(hardly);
        shared.own.ask_ahead();
        shared.rob(0);
    });
    run.join();
    shared.expect_each_once(2);
}

template <class Pool>
const std::vector<model::scenario> scenarios = {
    {"the_only_one", the_only_one<Pool>},
    {"joins_the_newest_of_two", joins_the_newest_of_two<Pool>},
    {"joins_two_in_order", joins_two_in_order<Pool>},
    {"creates_while_it_is_asked", creates_while_it_is_asked<Pool>, 2},
    {"cannot_give_what_is_asked_for", cannot_give_what_is_asked_for<Pool>},
    {"gives_way_to_the_newest", gives_way_to_the_newest<Pool>, 2},
    {"gives_way_to_one_that_gave_way", gives_way_to_one_that_gave_way<Pool>, 2},
    {"a_thief_that_sleeps_while_units_give_way", a_thief_that_sleeps_while_units_give_way<Pool>, 2},
    {"two_thieves", two_thieves<Pool>, 2},
    {"a_thief_that_sleeps", a_thief_that_sleeps<Pool>, 2},
    {"a_thief_that_sleeps_while_a_unit_is_kept", a_thief_that_sleeps_while_a_unit_is_kept<Pool>, 2},
    {"keeps_what_goes_on", keeps_what_goes_on<Pool>, 2},
};

TEST(steal_lane_model, loses_and_doubles_nothing) { model::expect_sound(scenarios<pool<>>); }

bool fails(void (*body)(model::run&)) {
    return model::explore(model::limits_of({"", body}), body).failed;
}

// The gate is notified before the unit is there: a thief that registers in between looks too early,
// and sleeps.
struct hasty_lane : lane {
    gate& door;

    hasty_lane(const owner& here, gate& its_door, std::size_t capacity)
        : lane(here, its_door, capacity), door(its_door) {}
    void push_into_room(unit* u) {
        door.notify();
        units().push_into_room(u);
    }
};

TEST(steal_lane_model, a_gate_that_is_notified_first_lets_thieves_sleep) {
    EXPECT_TRUE(fails(a_thief_that_sleeps<pool<hasty_lane>>));
}

// is_newest() says what the owner put there; only take_newest() says whether it is there still.
struct trusting_lane : lane {
    using lane::lane;
    bool take_newest() {
        lane::take_newest();
        return true;
    }
};

TEST(steal_lane_model, an_owner_that_does_not_ask_whether_it_has_the_newest_runs_it_too) {
    EXPECT_TRUE(fails(the_only_one<pool<trusting_lane>>));
}

// The owner gives what it sees at the top, and takes it out afterwards.
struct careless_lane : lane {
    using lane::lane;
    template <class Put>
    unsigned give(unsigned, Put put) {
        answer();
        unit* oldest = nullptr;
        units().for_each([&](unit* u) { oldest = oldest == nullptr ? u : oldest; });
        if (oldest == nullptr) {
            return 0;
        }
        put(*oldest);
        units().take_oldest();
        return 1;
    }
};

TEST(steal_lane_model, a_unit_that_is_given_before_it_is_taken_runs_twice) {
    EXPECT_TRUE(fails(creates_while_it_is_asked<pool<careless_lane>>) ||
                fails(joins_the_newest_of_two<pool<careless_lane>>));
}

}  // namespace
}  // namespace lazult
