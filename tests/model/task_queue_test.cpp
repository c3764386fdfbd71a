// SPDX-License-Identifier: BSD-3-Clause
// Model runs of omp::basic_task_queue: its owner against thieves that ask, are given tasks, help
// themselves, and put back what does not fit. Each task is had once, with what its creator wrote,
// and nobody sleeps while one is in a queue.
#include "doors/openmp/src/model/basic_task_queue.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace lazult {
namespace {

struct a_team;
struct a_task;

// A task region that has children. `home` is the queue of its thread.
struct a_parent {
    void* home = nullptr;
    model::model_atomics::atomic<a_task*> first_exposed;
    model::model_atomics::atomic<std::uint32_t> away;
    std::uint64_t lowest_child = UINT64_MAX;
};
struct a_group;

struct a_task {
    a_task* next = nullptr;
    a_team* its_team = nullptr;
    a_parent* parent = nullptr;
    a_group* group = nullptr;
    bool is_away = false;
    omp::exposed_links<a_task> exposed;
    model::model_var<int> what{0};
    int runs = 0;
};

// Threads that found nothing sleep until there are news.
struct a_team {
    model::model_atomics::atomic<std::uint32_t> news;

    void tell() {
        news.fetch_add(1, std::memory_order_release);
        model::model_atomics::futex_wake(news, 9);
    }
};

struct telling {
    explicit telling(const a_task& what) : all(*what.its_team) {}
    bool is_also_of(const a_task&) const { return false; }
    void tell() const { all.tell(); }
    void tell_everybody() const { all.tell(); }
    a_team& all;
};

// As omp::spin_lock.
template <std::memory_order Releases>
struct a_lock {
    model::model_atomics::atomic<std::uint32_t> held;

    void lock() {
        while (held.load(std::memory_order_relaxed) != 0 ||
               held.exchange(1, std::memory_order_acquire) != 0) {
            model::model_atomics::pause();
        }
    }
    void unlock() { held.store(0, Releases); }
};

struct a_group {
    model::model_atomics::atomic<a_task*> first_exposed;
    model::model_atomics::atomic<std::uint32_t> away;
    a_lock<std::memory_order_release> exposed_lock;
};

template <class Kind>
struct basic_kind {
    using task = a_task;
    using landing = telling;
    using atomics = model::model_atomics;
    using lock = a_lock<std::memory_order_release>;
    static constexpr std::size_t capacity = 4;
    static constexpr int patience = 1;
    static void tell_sleepers(a_team& all) { all.tell(); }
    static omp::basic_task_queue<Kind>& home(const a_task& t) {
        return *static_cast<omp::basic_task_queue<Kind>*>(t.parent->home);
    }
};
struct kind : basic_kind<kind> {};

constexpr auto any = [](const a_task&) { return true; };
constexpr auto none = [](const a_task&) { return false; };

template <class Kind>
struct team_of_three {
    using queue = omp::basic_task_queue<Kind>;
    a_team all;
    std::array<queue, 3> of;
    std::array<a_task, 3> tasks;
    std::array<a_parent, 3> parents;  // one on each thread

    explicit team_of_three(model::run& run) {
        run.label(of, "queues");
        run.label(all, "team");
        run.label(parents, "parents");
        for (std::size_t i = 0; i < of.size(); ++i) {
            parents[i].home = &of[i];
        }
    }
    void create(std::size_t me, std::size_t i, a_group* group = nullptr) {
        tasks[i].its_team = &all;
        tasks[i].parent = &parents[me];
        tasks[i].group = group;
        tasks[i].what = 7;
        of[me].push(&tasks[i]);
    }
    static bool run(a_task* t) {
        if (t != nullptr) {
            model::check(t->what == 7, "what its creator wrote is visible");
            ++t->runs;
        }
        return t != nullptr;
    }
    bool run_own(std::size_t me) { return run(of[me].take(any)); }
    template <class Fits>
    bool rob(std::size_t me, std::size_t victim, Fits fits, std::uint32_t wanted = 2) {
        return run(of[victim].steal(of[me], fits, wanted));
    }
    // Of the parent on thread `me`, as a taskwait does, which looks into another thread's deque
    // only if one is there.
    bool run_child(std::size_t me, std::size_t thief) {
        const auto is_mine = [&](const a_task& t) { return t.parent == &parents[me]; };
        if (run(of[me].take_newest(is_mine)) || run(of[me].take_exposed_child(parents[me]))) {
            return true;
        }
        return parents[me].away.load(std::memory_order_relaxed) != 0 &&
               run(of[thief].steal(of[me], is_mine, 2, 0));
    }
    // Until all have run.
    template <class Look>
    void wait_for(std::size_t i, Look look) {
        for (;;) {
            const std::uint32_t seen = all.news.load(std::memory_order_acquire);
            if (tasks[i].runs != 0) {
                return;
            }
            if (!look()) {
                model::model_atomics::futex_wait(all.news, seen, -1);
            }
        }
    }
    void expect_each_once(std::size_t count) {
        for (std::size_t me = 0; me < of.size(); ++me) {
            while (run_own(me)) {
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            model::check(tasks[i].runs == 1, "each task runs once");
        }
    }
};

template <class Kind>
void owner_and_thief(model::run& run) {
    team_of_three<Kind> team(run);
    team.create(0, 0);
    team.create(0, 1);
    run.thread("owner", [&] {
        team.run_own(0);
        team.run_own(0);
    });
    run.thread("thief", [&] {
        team.rob(1, 0, any);
        team.run_own(1);
    });
    run.join();
    team.expect_each_once(2);
}

template <class Kind>
void asked_while_it_creates(model::run& run) {
    team_of_three<Kind> team(run);
    team.create(0, 0);
    run.thread("owner", [&] {
        team.create(0, 1);
        team.create(0, 2);
    });
    run.thread("thief", [&] {
        team.rob(1, 0, any);
        team.rob(1, 0, any);
    });
    run.join();
    team.expect_each_once(3);
}

template <class Kind>
void two_thieves(model::run& run) {
    team_of_three<Kind> team(run);
    team.create(0, 0);
    team.create(0, 1);
    run.thread("owner", [&] { team.run_own(0); });
    run.thread("thief", [&] { team.rob(1, 0, any, 1); });
    run.thread("thief 2", [&] { team.rob(2, 0, any, 1); });
    run.join();
    team.expect_each_once(2);
}

// The thief has it in hand while the owner looks for it, and puts it back.
template <class Kind>
void in_the_hand_of_a_thief(model::run& run) {
    team_of_three<Kind> team(run);
    team.create(0, 0);
    run.thread("owner", [&] { team.wait_for(0, [&] { return team.run_own(0); }); });
    run.thread("thief", [&] { team.rob(1, 0, none); });
    run.join();
    team.expect_each_once(1);
}

// The owner digs for another one.
template <class Kind>
void in_the_hand_of_its_owner(model::run& run) {
    team_of_three<Kind> team(run);
    team.create(0, 0);
    run.thread("owner", [&] { team.of[0].dig(none, 0); });
    run.thread("thief", [&] { team.wait_for(0, [&] { return team.rob(1, 0, any); }); });
    run.join();
    team.expect_each_once(1);
}

// The thief moves a task into its own deque, and then does something else for long: the parent gets
// it back from there.
template <class Kind>
void away_from_its_parent(model::run& run) {
    team_of_three<Kind> team(run);
    team.create(0, 0);
    team.create(0, 1);
    team.create(0, 2);
    team.of[0].dig(none, 0);
    run.thread("owner", [&] {
        for (std::size_t i = 0; i < 3; ++i) {
            team.wait_for(i, [&] { return team.run_child(0, 1); });
        }
    });
    run.thread("thief", [&] {
        if (team.rob(1, 0, any)) {
            team.all.tell();  // it has completed
        }
    });
    run.join();
    team.expect_each_once(3);
}

// Two threads have one exposed task each, both of the group.
template <class Kind>
void expose_one_each(team_of_three<Kind>& team, a_group& group) {
    for (const int thread : {0, 1}) {
        team.create(thread, thread, &group);
    }
    for (const int thread : {0, 1}) {
        team.of[thread].dig(none, 0);
    }
}

// Members of one group stand among the exposed tasks of two threads, and a thief takes from both.
template <class Kind>
void group_of_two_threads(model::run& run) {
    team_of_three<Kind> team(run);
    a_group group;
    expose_one_each(team, group);
    run.thread("waiter", [&] {
        for (int i = 0; i < 2; ++i) {
            team.run(omp::basic_task_queue<Kind>::take_exposed_member(group));
        }
    });
    run.thread("thief", [&] {
        team.rob(2, 0, any, 1);
        team.rob(2, 1, any, 1);
    });
    run.join();
    team.expect_each_once(2);
}

// The first member goes while the waiter is on its way to it. The other one is there all the time.
template <class Kind>
void member_behind_one_that_goes(model::run& run) {
    team_of_three<Kind> team(run);
    a_group group;
    expose_one_each(team, group);
    run.thread("waiter", [&] {
        model::check(team.run(omp::basic_task_queue<Kind>::take_exposed_member(group)),
                     "a member is found");
    });
    run.thread("thief", [&] { team.rob(2, 1, any, 1); });
    run.join();
    team.expect_each_once(2);
}

const std::vector<model::scenario> scenarios = {
    {"owner_and_thief", owner_and_thief<kind>, 2},
    {"asked_while_it_creates", asked_while_it_creates<kind>, 1},
    {"two_thieves", two_thieves<kind>, 0},
    {"in_the_hand_of_a_thief", in_the_hand_of_a_thief<kind>, 2},
    {"in_the_hand_of_its_owner", in_the_hand_of_its_owner<kind>, 2},
    {"away_from_its_parent", away_from_its_parent<kind>, 1},
    {"group_of_two_threads", group_of_two_threads<kind>, 1},
    {"member_behind_one_that_goes", member_behind_one_that_goes<kind>, 2},
};

TEST(task_queue_model, loses_and_doubles_nothing) { model::expect_sound(scenarios); }

bool fails(void (*body)(model::run&)) {
    return model::explore(model::limits_of({"", body, 2}), body).failed;
}

struct silent {
    explicit silent(const a_task&) {}
    static bool is_also_of(const a_task&) { return false; }
    static void tell() {}
    static void tell_everybody() {}
};
struct silent_kind : basic_kind<silent_kind> {
    using landing = silent;
};

TEST(task_queue_model, a_task_that_is_put_back_silently_lets_others_sleep) {
    EXPECT_TRUE(fails(in_the_hand_of_a_thief<silent_kind>));
    EXPECT_TRUE(fails(in_the_hand_of_its_owner<silent_kind>));
}

struct open_kind : basic_kind<open_kind> {
    using lock = a_lock<std::memory_order_relaxed>;
};

TEST(task_queue_model, what_is_given_away_needs_the_locks_release) {
    EXPECT_TRUE(fails(owner_and_thief<open_kind>) || fails(asked_while_it_creates<open_kind>));
}

}  // namespace
}  // namespace lazult
