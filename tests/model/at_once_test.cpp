// SPDX-License-Identifier: BSD-3-Clause
// Model runs of a unit that starts at once and suspends (core/life/at_once.cpp), over the shipped
// queue and join word. Its creator stands on the stack of the host, and becomes ready while the
// unit still runs. Another stream takes it, and it joins the unit.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;

// What is planted in a run to see that the checker finds it.
enum class mistake {
    none,
    creator_ready_before_the_host_lets_go,
    unit_listed_after_its_creator_is_ready,
    record_read_after_its_creator_is_ready,
    unit_returns_to_its_creator,
};

struct alignas(16) unit {
    model::model_var<unit*> next{nullptr};
    model::model_var<int> context{0};
    model::model_var<bool> is_cut_off{false};
    model::model_var<int> result{0};
    core::join_word<atomics> join;
};

// core/life/at_once.hpp, in the creator's frame.
struct record {
    model::model_var<int> context{0};
    model::model_var<int> fate{0};
    model::model_var<record*> below{nullptr};
};

struct scene {
    using word = core::join_word<atomics>;
    static constexpr int saved = 5;
    static constexpr int listed = 1;

    unit creator;
    unit task;
    record call;
    model::model_var<unit*> list{nullptr};  // the group's; its owner is the creator
    // the host's, on which it has called the creator
    model::model_var<int> frames_of_first_stack{0};
    model::model_var<bool> host_has_first_stack{true};      // host::stk_
    ds::mpsc_queue<unit, &unit::next, atomics> first_pool;  // the unit's home
    ds::mpsc_queue<unit, &unit::next, atomics> second_pool;
    mistake planted;
    int ends = 0;

    scene(model::run& run, mistake made) : planted(made) {
        run.label(creator, "creator");
        run.label(task, "unit");
        run.label(call, "record");
        run.label(first_pool, "first stream's pool");
        run.label(second_pool, "second stream's pool");
    }

    // host::call_unit(), by the creator.
    void call_unit() {
        frames_of_first_stack = 1;
        call.context = saved;
    }
    // host::promote_creators(), on the unit's stack: cut_off(), settle(), free_creator().
    void promote_creators() {
        if (planted != mistake::unit_listed_after_its_creator_is_ready) {
            list_unit();
        }
        task.is_cut_off = planted != mistake::unit_returns_to_its_creator;
        if (planted != mistake::creator_ready_before_the_host_lets_go) {
            host_has_first_stack = false;
        }
        record* below = call.below;
        creator.context = call.context;
        second_pool.push(&creator);
        if (planted == mistake::unit_listed_after_its_creator_is_ready) {
            list_unit();
        }
        if (planted == mistake::record_read_after_its_creator_is_ready) {
            below = call.below;
        }
        model::check(below == nullptr, "it is the oldest call");
    }
    void list_unit() {
        list = &task;
        call.fate = listed;
    }
    // The unit has suspended: the loop begins on a stack of the host's, and resumes it.
    void go_on_without_creator() {
        task.context = saved;
        first_pool.push(&task);
        if (host_has_first_stack) {
            frames_of_first_stack = 2;
        }
        model::check(first_pool.take_all() == &task, "the unit is ready");
        task.result = 7;
        model::check(task.is_cut_off, "the unit's end does not return into its creator's frame");
        if (const word::value before = task.join.finish(); word::is_unit(before)) {
            second_pool.push(reinterpret_cast<unit*>(before));
        }
    }
    // On the second stream. Its frames are above the host's old ones.
    void run_creator() {
        take_from_second_pool();
        model::check(creator.context == saved, "the creator's context is saved");
        frames_of_first_stack = 3;
        model::check(call.fate == listed, "the creator knows that the unit goes on");
        call.below = &call;  // its frame is gone: anything may stand there
        unit* const mine = list;
        word::value found;
        if (mine->join.try_wait(reinterpret_cast<word::value>(&creator), &found)) {
            take_from_second_pool();
        }
        model::check(mine->join.is_finished() && mine->result == 7,
                     "the creator sees the unit's result");
        frames_of_first_stack = 4;
        ++ends;
    }
    void take_from_second_pool() {
        while (second_pool.take_all() == nullptr) {
            atomics::pause();
        }
    }
};

template <mistake planted>
void at_once_with(model::run& run) {
    scene shared(run, planted);
    run.thread("first stream", [&] {
        shared.call_unit();
        shared.promote_creators();
        shared.go_on_without_creator();
    });
    run.thread("second stream", [&] { shared.run_creator(); });
    run.join();
    model::check(shared.ends == 1, "the creator ends");
}

const std::vector<model::scenario> scenarios = {{"at once", at_once_with<mistake::none>}};

TEST(at_once_model, a_creator_goes_on_elsewhere_while_its_unit_runs) {
    model::expect_sound(scenarios);
}

template <mistake planted>
std::string failure_of() {
    const model::scenario each{"", at_once_with<planted>};
    return model::explore(model::limits_of(each), each.body).failure;
}

TEST(at_once_model, a_creator_is_ready_after_the_host_has_let_go_of_its_stack) {
    EXPECT_NE(failure_of<mistake::creator_ready_before_the_host_lets_go>(), "");
}

TEST(at_once_model, a_unit_is_listed_before_its_creator_is_ready) {
    EXPECT_NE(failure_of<mistake::unit_listed_after_its_creator_is_ready>(), "");
}

TEST(at_once_model, a_record_is_read_before_its_creator_is_ready) {
    EXPECT_NE(failure_of<mistake::record_read_after_its_creator_is_ready>(), "");
}

TEST(at_once_model, a_unit_does_not_return_to_a_creator_that_has_gone_on) {
    EXPECT_NE(failure_of<mistake::unit_returns_to_its_creator>(), "");
}

TEST(at_once_model, needs_the_orders_that_publish) {
    using model::operation;
    constexpr auto acquire = std::memory_order_acquire;
    constexpr auto release = std::memory_order_release;
    constexpr auto acq_rel = std::memory_order_acq_rel;
    constexpr auto relaxed = std::memory_order_relaxed;
    for (const model::weakening& each : {
             model::weakening{"push", operation::compare_exchange, release, relaxed},
             model::weakening{"take_all", operation::exchange, acquire, relaxed},
             model::weakening{"finish", operation::load, acquire, relaxed},
             model::weakening{"finish", operation::exchange, acq_rel, acquire},
         }) {
        EXPECT_TRUE(model::is_noticed(each, scenarios)) << model::describe(each);
    }
}

}  // namespace
}  // namespace lazult
