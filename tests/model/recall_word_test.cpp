// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core::recall_word: a timed join of a unit that is confined to another thread sends
// an opener there, and frees the unit after it has recalled that.
#include "lazult/core/unit/recall_word.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/model/mutation.hpp"

namespace lazult {
namespace {

using recall_word = core::recall_word<model::model_atomics>;

struct errand {
    recall_word word;
    model::model_var<int> unit{0};

    explicit errand(model::run& run) {
        run.label(word, "recall word");
        run.label(unit, "unit");
    }
    void run_it() {
        if (word.begin()) {
            unit = 1;
            word.end();
        }
    }
};

void recalled_and_freed(model::run& run) {
    errand sent(run);
    run.thread("errand", [&] { sent.run_it(); });
    run.thread("sender", [&] {
        sent.word.recall();
        sent.unit = 2;
    });
    run.join();
    model::check(sent.unit == 2, "the errand does not touch what is freed");
}

// The errand comes so late that its sender has recalled it: it finds a second life of the unit, and
// leaves it alone.
void recalled_before_it_runs(model::run& run) {
    errand sent(run);
    sent.word.recall();
    sent.unit = 2;
    run.thread("errand", [&] { sent.run_it(); });
    run.join();
    model::check(sent.unit == 2, "what was recalled does not begin");
}

const std::vector<model::scenario> scenarios = {
    {"recalled_and_freed", recalled_and_freed},
    {"recalled_before_it_runs", recalled_before_it_runs},
};

TEST(recall_word_model, nothing_is_touched_after_a_recall) { model::expect_sound(scenarios); }

TEST(recall_word_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP();
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>());
}

}  // namespace
}  // namespace lazult
