// SPDX-License-Identifier: BSD-3-Clause
// What the report of a deadlock says of units in each state, whatever their doors know of what they
// wait for.
#include "lazult/watch/deadlock.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using watch::deadlock_finder;
using watch::known_wait;

std::string begin_of_line(const unit& u) {
    return "ULT " + std::to_string(core::number_of(*u.get())) + " (";
}

// What a door of the test's says.
known_wait said[2];
std::size_t count_said = 0;
const work_unit* said_of = nullptr;

void tell(const work_unit& waiting, std::vector<known_wait>& into) {
    if (&waiting == said_of) {
        into.insert(into.end(), said, said + count_said);
    }
}

class deadlock_report : public testing::Test {
protected:
    deadlock_report() { watch::set_wait_describer(nullptr); }
    ~deadlock_report() override { watch::set_wait_describer(nullptr); }

    // One that waits until the test lets it go on.
    unit waiting_unit() {
        unit u =
            spawn(pinned(), technique::lazy_stack, [] { core::suspend([](void*) {}, nullptr); });
        core::yield();
        return u;
    }
    static void let_go(unit& u) {
        core::make_ready(&core::this_worker(), u.get());
        EXPECT_EQ(u.join(), status::ok);
    }
    // The line about a unit.
    static std::string line_about(const unit& u) {
        const std::string text = deadlock_finder::report();
        const std::size_t at = text.find("  " + begin_of_line(u));
        return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    }
    static std::string line_if_said(const unit& u, known_wait what) {
        said[0] = what;
        count_said = 1;
        said_of = u.get();
        watch::set_wait_describer(tell);
        return line_about(u);
    }
    static bool ends_with(const std::string& text, const std::string& end) {
        return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
    }

    runtime running_;
};

TEST_F(deadlock_report, names_what_is_known_of_each_state) {
    unit waiting = waiting_unit();
    EXPECT_TRUE(ends_with(line_about(waiting), " is suspended: nobody knows what it waits for"))
        << line_about(waiting);

    unit parked = spawn(pinned(), technique::lazy_stack, [] { core::park(); });
    core::yield();
    EXPECT_NE(line_about(parked).find(" waits for resumption by name (unpark)"), std::string::npos);
    core::unpark(parked.get());
    EXPECT_TRUE(ends_with(line_about(parked), " is ready, in a pool that no stream looks at"));
    EXPECT_EQ(parked.join(), status::ok);
    EXPECT_EQ(line_about(parked), "") << "it has ended";

    unit fresh(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
    EXPECT_TRUE(ends_with(line_about(fresh), " is ready, in a pool that no stream looks at"));
    EXPECT_NE(deadlock_finder::report().find("    no backtrace: it has not started"),
              std::string::npos);
    fresh.launch();
    EXPECT_EQ(fresh.join(), status::ok);

    // The caller itself, as what seems to run has no backtrace from outside.
    EXPECT_NE(deadlock_finder::report().find(" runs, and its OS thread sleeps in the system\n"),
              std::string::npos);
    let_go(waiting);
}

TEST_F(deadlock_report, names_what_a_door_knows) {
    unit waiting = waiting_unit();
    unit holder = waiting_unit();
    int object = 0;
    EXPECT_TRUE(ends_with(line_if_said(waiting, {"a word from afar", nullptr}),
                          " waits for a word from afar"));
    EXPECT_NE(line_if_said(waiting, {"mutex", &object}).find(" waits for mutex 0x"),
              std::string::npos);
    const std::string held =
        ", held by " + begin_of_line(holder).substr(0, begin_of_line(holder).size() - 2);
    EXPECT_TRUE(ends_with(line_if_said(waiting, {"mutex", &object, holder.get()}), held));
    EXPECT_TRUE(ends_with(line_if_said(waiting, {"end", holder.get(), nullptr, holder.get()}),
                          " waits for the end of " + held.substr(10)));
    said[1] = {"a word from afar", nullptr};
    said[0] = {"another one", nullptr};
    count_said = 2;
    EXPECT_TRUE(ends_with(line_about(waiting), " waits for another one or a word from afar"));
    let_go(holder);
    EXPECT_TRUE(
        ends_with(line_if_said(waiting, {"mutex", &object, holder.get()}), ", which has ended"));
    const work_unit* const freed = holder.get();
    holder = unit();
    EXPECT_TRUE(ends_with(line_if_said(waiting, {"mutex", &object, freed}), ", which has ended"));
    let_go(waiting);
}

// Two that hold what the other one wants.
TEST_F(deadlock_report, names_circles) {
    unit first = waiting_unit();
    unit second = waiting_unit();
    static const work_unit* units[2];
    static int objects[2];
    units[0] = first.get();
    units[1] = second.get();
    watch::set_wait_describer([](const work_unit& waiting, std::vector<known_wait>& into) {
        const bool is_first = &waiting == units[0];
        if (is_first || &waiting == units[1]) {
            into.push_back({"mutex", &objects[is_first ? 1 : 0], units[is_first ? 1 : 0]});
        }
    });
    const std::string text = deadlock_finder::report();
    const std::size_t circle = text.find("  circle: ULT ");
    ASSERT_NE(circle, std::string::npos) << text;
    EXPECT_EQ(text.find("  circle: ", circle + 1), std::string::npos) << "once";
    // A unit that waits for one that waits for nothing is in no circle.
    known_wait& only = said[0];
    only = {"mutex", &objects[0], units[1]};
    count_said = 1;
    said_of = first.get();
    watch::set_wait_describer(tell);
    EXPECT_EQ(deadlock_finder::report().find("  circle: "), std::string::npos);
    let_go(first);
    let_go(second);
}

TEST_F(deadlock_report, names_units_that_join_one_or_many) {
    unit waiting = waiting_unit();
    unit other = waiting_unit();
    unit joiner =
        spawn(pinned(), technique::full, [&] { EXPECT_EQ(core::join(waiting.get()), status::ok); });
    core::yield();
    EXPECT_NE(line_about(joiner).find(" waits for the end of ULT "), std::string::npos);
    let_go(waiting);
    EXPECT_EQ(joiner.join(), status::ok);
    waiting = waiting_unit();
    unit joiner_of_many = spawn(pinned(), technique::full, [&] {
        work_unit* both[] = {waiting.get(), other.get()};
        EXPECT_EQ(core::join_many(both, 2), status::ok);
    });
    core::yield();
    const std::string line = line_about(joiner_of_many);
    EXPECT_NE(line.find(" waits for the end of ULT "), std::string::npos);
    EXPECT_NE(line.find(" or the end of ULT "), std::string::npos);
    core::make_ready(&core::this_worker(), waiting.get());
    core::make_ready(&core::this_worker(), other.get());
    waiting.set_joined();
    other.set_joined();
    EXPECT_EQ(joiner_of_many.join(), status::ok);
}

TEST_F(deadlock_report, has_an_end) {
    std::vector<unit> many;
    for (int i = 0; i < 120; ++i) {
        many.emplace_back(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
    }
    const std::string text = deadlock_finder::report();
    EXPECT_NE(text.find("and 121 units have not ended"), std::string::npos);
    EXPECT_NE(text.find("  and 21 more\n"), std::string::npos);
    for (unit& u : many) {
        u.launch();
    }
}

}  // namespace
