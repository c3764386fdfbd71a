// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the Concert door's visitor count: what was taken out of the list is destroyed while
// nobody looks at it.
#include "doors/concert/src/world/visitor_count.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using visitors = concert::visitor_count<model::model_atomics>;
constexpr std::size_t most_entries = 2;

struct list {
    std::array<model::model_atomics::atomic<bool>, most_entries> is_listed{};
    std::array<model::model_var<int>, most_entries> entries{};  // 1: alive; 0: destroyed
    visitors count;

    explicit list(model::run& run, std::size_t entries_listed) {
        run.label(is_listed, "is_listed");
        run.label(count, "count");
        for (std::size_t i = 0; i < entries_listed; ++i) {
            put_in(i);
        }
    }
    void put_in(std::size_t i) {
        entries[i] = 1;
        is_listed[i].store(true, std::memory_order_release);  // pairs with: look()
    }
    void look() {
        const visitors::visit counted(count);
        for (std::size_t i = 0; i < most_entries; ++i) {
            if (is_listed[i].load(std::memory_order_acquire)) {  // pairs with: put_in()
                model::check(entries[i].get() == 1, "what is visited is alive");
            }
        }
    }
    void take_out(std::size_t i) {
        // pairs with: nothing: await_earlier() orders it
        is_listed[i].store(false, std::memory_order_relaxed);
        count.await_earlier([] { model::model_atomics::pause(); });
        entries[i] = 0;
    }
};

void one_goes_while_two_look(model::run& run) {
    list all(run, 1);
    run.thread("visitor 1", [&] { all.look(); });
    run.thread("visitor 2", [&] { all.look(); });
    run.thread("owner", [&] { all.take_out(0); });
    run.join();
}

// The phase that a slow visitor found comes again.
void two_go_one_after_the_other(model::run& run) {
    list all(run, 1);
    run.thread("visitor", [&] { all.look(); });
    run.thread("owner", [&] {
        all.put_in(1);
        all.take_out(0);
        all.take_out(1);
    });
    run.join();
}

const std::vector<model::scenario> scenarios = {
    {"one_goes_while_two_look", one_goes_while_two_look, 2},
    {"two_go_one_after_the_other", two_go_one_after_the_other},
};

TEST(concert_visitors_model, nobody_looks_at_what_is_destroyed) { model::expect_sound(scenarios); }

TEST(concert_visitors_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
