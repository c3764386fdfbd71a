// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the barriers of OpenMP's teams. No thread comes through before all have arrived and
// all tasks have completed, whichever thread opens the barrier, in round after round. And no thread
// sleeps for ever in front of a barrier.
#include "doors/openmp/src/model/barrier_release.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;
template <class T>
using atomic = atomics::atomic<T>;

struct a_barrier : omp::basic_team_barrier<atomics> {
    atomic<std::uint32_t> waiting{0};  // as parking_bucket::waiting
    atomic<std::uint32_t> wakes{0};
};

void wake(a_barrier& b, int count) {
    if (b.waiting.load(std::memory_order_seq_cst) != 0) {
        b.wakes.fetch_add(1, std::memory_order_relaxed);
        atomics::futex_wake(b.wakes, count);
    }
}

void wake_waiters(a_barrier& b) { wake(b, 9); }

struct a_thread {
    omp::basic_published_count<atomics> created;
    omp::basic_published_count<atomics> completed;
};

// One that the queues hold, which have their own model.
struct a_task {
    atomic<bool> is_there{false};
    bool creates_another = false;
    std::size_t round = 0;  // which barrier it is created before
    model::model_var<int> done{0};
};

struct a_team {
    using atomics = lazult::atomics;
    std::uint32_t size;
    atomic<bool> has_tasks{false};
    atomic<bool> had_tasks{false};
    atomic<bool> share_cancelled{false};
    atomic<std::uint32_t> parked{0};
    atomic<std::uint32_t> waking{0};
    atomic<std::uint64_t> fulfilled{0};
    atomic<std::uint64_t> offered{0};
    a_barrier inside;
    // A nested team's thread 0 waits here for its others. `arrived` counts those that have left.
    a_barrier over;
    std::array<a_thread, 3> threads;
    std::array<a_thread*, 3> members{&threads[0], &threads[1], &threads[2]};
    std::array<a_task, 2> tasks;
    // What each thread did before each barrier.
    std::array<std::array<model::model_var<int>, 3>, 3> before;

    a_team(model::run& run, std::uint32_t threads_there) : size(threads_there) {
        run.label(inside, "barrier");
        run.label(threads, "counts");
        run.label(tasks, "tasks");
        run.label(has_tasks, "has_tasks");
        run.label(parked, "parked");
    }
};

void wake_sleepers(a_team& all) {
    wake(all.inside, 1);
    wake(all.over, 1);
}

void create(a_team& all, std::size_t me, std::size_t which) {
    omp::count_created(all, all.threads[me]);
    all.tasks[which].is_there.store(true, std::memory_order_release);
    omp::notify_sleepers(all);
}

// Called by a thread that waits at barrier number `round`.
a_task* find(a_team& all, std::uint32_t round) {
    for (a_task& each : all.tasks) {
        if (each.is_there.load(std::memory_order_relaxed) &&
            each.is_there.exchange(false, std::memory_order_acquire)) {
            model::check(each.round <= round, "nobody starts what was created behind the barrier");
            return &each;
        }
    }
    return nullptr;
}

void run_task(a_team& all, std::size_t me, a_task& what) {
    if (what.creates_another) {
        create(all, me, 1);
    }
    what.done = 1;
    all.threads[me].completed.increment();
    omp::notify_sleepers(all);
}

// As park_while(): it looks once more when it counts as waiting.
void park(a_team& all, std::uint32_t before, std::uint64_t news) {
    a_barrier& b = all.inside;
    b.waiting.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t seen = b.wakes.load(std::memory_order_relaxed);
    if (omp::must_sleep(all, b, before, news)) {
        atomics::futex_wait(b.wakes, seen, -1);
    }
    b.waiting.fetch_sub(1, std::memory_order_relaxed);
}

// As sleep() in barrier.cpp.
void sleep(a_team& all, std::size_t me, std::uint32_t before, std::uint64_t news) {
    a_task* found = nullptr;
    {
        const omp::counted_sleeper here(all);
        found = omp::find_late(all, all.inside, before, [&] { return find(all, before); });
        if (found == nullptr) {
            park(all, before, news);
        }
    }
    if (found != nullptr) {
        run_task(all, me, *found);
    }
}

enum class how { spins, sleeps };

// As wait_for_others() there.
void wait_for_others(a_team& all, std::size_t me, std::uint32_t before, how waits) {
    while (!omp::is_released(all.inside, before)) {
        const std::uint64_t news = omp::news_of(all);
        if (omp::may_have_tasks(all, all.inside, before)) {
            while (a_task* const found = find(all, before)) {
                run_task(all, me, *found);
            }
            omp::release_if_complete(all, all.inside);
        }
        if (!omp::is_released(all.inside, before)) {
            waits == how::sleeps ? sleep(all, me, before, news) : atomics::pause();
        }
    }
}

struct as_shipped {
    static bool arrive(a_team& all) { return omp::arrive(all, all.inside); }
};

// `round` is counted from 0, and so are the barrier's generations.
template <class Kind>
void pass_barrier(a_team& all, std::size_t me, std::size_t round, how waits) {
    all.before[round][me] = 1;
    const std::uint32_t before = all.inside.generation.load(std::memory_order_relaxed);
    model::check(before == round, "a barrier opens once");
    if (!Kind::arrive(all)) {
        wait_for_others(all, me, before, waits);
    }
    for (std::uint32_t i = 0; i < all.size; ++i) {
        model::check(all.before[round][i] == 1, "all have arrived");
    }
}

void expect_done(a_team& all, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        model::check(all.tasks[i].done == 1, "each task has completed");
    }
}

struct plan {
    std::uint32_t threads;
    std::size_t tasks;  // the first thread creates one, and that the second one
    std::size_t rounds;
    how waits;
};

template <class Kind>
void rounds(model::run& run, const plan& what) {
    a_team all(run, what.threads);
    all.tasks[0].creates_another = what.tasks == 2;
    const auto body = [&](std::size_t me) {
        if (me == 0 && what.tasks != 0) {
            create(all, me, 0);
        }
        for (std::size_t round = 0; round < what.rounds; ++round) {
            pass_barrier<Kind>(all, me, round, what.waits);
            expect_done(all, what.tasks);
        }
    };
    for (std::uint32_t i = 0; i < what.threads; ++i) {
        run.thread("thread " + std::to_string(i), [&body, i] { body(i); });
    }
    run.join();
    model::check(all.inside.arrived.load(std::memory_order_relaxed) == 0,
                 "nobody counts as arrived");
}

// The creator is busy until another thread has run its task, which may be asleep at the barrier.
template <class Kind>
void left_to_a_sleeper(model::run& run) {
    a_team all(run, 2);
    run.thread("creator", [&] {
        create(all, 0, 0);
        while (all.threads[1].completed.get() == 0) {
            atomics::pause();
        }
        pass_barrier<Kind>(all, 0, 0, how::sleeps);
    });
    run.thread("sleeper", [&] { pass_barrier<Kind>(all, 1, 0, how::sleeps); });
    run.join();
}

// As sleep_in_join() in parallel.cpp.
void sleep_in_join(a_team& all, std::size_t me, std::uint64_t news) {
    a_task* found = nullptr;
    {
        const omp::counted_sleeper here(all);
        found = omp::find_late(all, [&] { return find(all, 0); });
        if (found == nullptr) {
            a_barrier& b = all.over;
            b.waiting.fetch_add(1, std::memory_order_seq_cst);
            const std::uint32_t seen = b.wakes.load(std::memory_order_relaxed);
            if (b.arrived.load(std::memory_order_seq_cst) == 0 && omp::news_of(all) == news) {
                atomics::futex_wait(b.wakes, seen, -1);
            }
            b.waiting.fetch_sub(1, std::memory_order_relaxed);
        }
    }
    if (found != nullptr) {
        run_task(all, me, *found);
    }
}

// The same where the other one waits for the end of a nested team.
template <class Kind>
void left_to_who_waits_for_the_end(model::run& run) {
    a_team all(run, 2);
    run.thread("creator", [&] {
        create(all, 0, 0);
        while (all.threads[1].completed.get() == 0) {
            atomics::pause();
        }
        all.over.arrived.fetch_add(1, std::memory_order_seq_cst);
        wake_waiters(all.over);
    });
    run.thread("sleeper", [&] {
        // relaxed: what it looks at behind the loop is its own
        while (all.over.arrived.load(std::memory_order_relaxed) == 0) {
            const std::uint64_t news = omp::news_of(all);
            a_task* const found = find(all, 0);
            found != nullptr ? run_task(all, 1, *found) : sleep_in_join(all, 1, news);
        }
        expect_done(all, 1);
    });
    run.join();
}

// A task blocked, and ends as a thread of its own. `by` does that.
template <class Kind, class End>
void completed_late(model::run& run, End end) {
    a_team all(run, 2);
    omp::count_created(all, all.threads[0]);
    for (std::size_t me = 0; me < 2; ++me) {
        run.thread("thread " + std::to_string(me), [&, me] {
            pass_barrier<Kind>(all, me, 0, how::sleeps);
            expect_done(all, 1);
        });
    }
    run.thread("task", [&] {
        all.tasks[0].done = 1;
        end(all);
    });
    run.join();
}

template <class Kind>
void completed_by_its_thread(model::run& run) {
    completed_late<Kind>(run, [](a_team& all) {
        all.threads[0].completed.increment();
        omp::notify_sleepers(all);
    });
}

// As complete_task() of a thread outside the team.
template <class Kind>
void completed_by_a_stranger(model::run& run) {
    completed_late<Kind>(run, [](a_team& all) {
        all.fulfilled.fetch_add(1, std::memory_order_seq_cst);
        wake_waiters(all.inside);
    });
}

// It may not be started from the barrier before.
template <class Kind>
void of_the_next_region(model::run& run) {
    a_team all(run, 2);
    all.tasks[0].round = 1;
    run.thread("thread 0", [&] {
        pass_barrier<Kind>(all, 0, 0, how::spins);
        create(all, 0, 0);
        pass_barrier<Kind>(all, 0, 1, how::spins);
    });
    run.thread("thread 1", [&] {
        pass_barrier<Kind>(all, 1, 0, how::spins);
        pass_barrier<Kind>(all, 1, 1, how::spins);
    });
    run.join();
    expect_done(all, 1);
}

template <class Kind, plan What>
void scenario_of(model::run& run) {
    rounds<Kind>(run, What);
}

template <class Kind>
std::vector<model::scenario> scenarios_of() {
    return {
        {"no_tasks", scenario_of<Kind, {2, 0, 2, how::spins}>, 2},
        {"one_task", scenario_of<Kind, {2, 1, 2, how::spins}>, 1},
        {"a_task_creates_a_task", scenario_of<Kind, {2, 2, 1, how::spins}>, 0},
        {"sleepers", scenario_of<Kind, {2, 1, 2, how::sleeps}>, 1},
        {"sleepers_and_two_tasks", scenario_of<Kind, {2, 2, 1, how::sleeps}>, 1},
        {"left_to_a_sleeper", left_to_a_sleeper<Kind>, 1},
        {"left_to_who_waits_for_the_end", left_to_who_waits_for_the_end<Kind>, 1},
        {"completed_by_its_thread", completed_by_its_thread<Kind>, 1},
        {"completed_by_a_stranger", completed_by_a_stranger<Kind>, 1},
        {"of_the_next_region", of_the_next_region<Kind>, 0},
        {"three_without_tasks", scenario_of<Kind, {3, 0, 2, how::sleeps}>, 0},
        {"three_with_one_task", scenario_of<Kind, {3, 1, 1, how::sleeps}>, 0},
    };
}

TEST(team_barrier_model, opens_once_when_all_are_there_and_tasks_have_completed) {
    model::expect_sound(scenarios_of<as_shipped>());
}

// The last to arrive believes that nobody else can have opened it, as there seem to be no tasks.
struct opens_unasked {
    static bool arrive(a_team& all) {
        a_barrier& b = all.inside;
        if (b.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != all.size ||
            all.has_tasks.load(std::memory_order_relaxed)) {
            return false;
        }
        b.arrived.store(0, std::memory_order_relaxed);
        b.generation.fetch_add(1, std::memory_order_seq_cst);
        wake_waiters(b);
        return true;
    }
};

TEST(team_barrier_model, the_last_to_arrive_may_find_it_opened_by_others) {
    const model::scenario one_task = {"", scenario_of<opens_unasked, {2, 1, 2, how::spins}>, 1};
    EXPECT_TRUE(model::explore(model::limits_of(one_task), one_task.body).failed);
}

// The checker orders all sequentially consistent operations more strictly than C++ does, and so
// hides what that one is for.
TEST(team_barrier_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    std::set<std::string> unnoticed;
    for (const std::string& each : model::unnoticed_mistakes(scenarios_of<as_shipped>())) {
        unnoticed.insert(each.substr(0, each.find_first_of("<(")) + each.substr(each.find("(): ")));
    }
    EXPECT_EQ(unnoticed, std::set<std::string>{"may_have_tasks(): load acquire -> relaxed"});
}

}  // namespace
}  // namespace lazult
