// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::coarse_count: when all changes are over, what is read follows from the number.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

namespace lazult {
namespace {

using count = ds::coarse_count<model::model_atomics>;

int is_crowd(int number) { return number > 1 ? 1 : 0; }

struct place {
    count people{0};
    explicit place(model::run& run) { run.label(people, "people"); }
    void come() { people.add(1, is_crowd); }
    void go() { people.add(-1, is_crowd); }
    void expect(int crowd) { model::check(people.what_follows() == crowd, "what is read follows"); }
};

void two_come(model::run& run) {
    place here(run);
    run.thread("one", [&] { here.come(); });
    run.thread("other", [&] { here.come(); });
    run.join();
    here.expect(1);
}

void one_comes_while_another_goes(model::run& run) {
    place here(run);
    here.come();
    run.thread("one", [&] { here.come(); });
    run.thread("other", [&] { here.go(); });
    run.join();
    here.expect(0);
}

void two_come_and_go(model::run& run) {
    place here(run);
    const auto visit = [&] {
        here.come();
        here.go();
    };
    run.thread("one", visit);
    run.thread("other", visit);
    run.join();
    here.expect(0);
}

void three_change_it(model::run& run) {
    place here(run);
    here.come();
    run.thread("one", [&] { here.come(); });
    run.thread("second", [&] { here.go(); });
    run.thread("third", [&] { here.come(); });
    run.join();
    here.expect(1);
}

std::vector<model::scenario> scenarios() {
    return {{"two_come", two_come},
            {"one_comes_while_another_goes", one_comes_while_another_goes},
            {"two_come_and_go", two_come_and_go},
            {"three_change_it", three_change_it}};
}

TEST(coarse_count_model, follows_when_all_changes_are_over) { model::expect_sound(scenarios()); }

TEST(coarse_count_model, needs_its_orders) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP();
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios()), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
