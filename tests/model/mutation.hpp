// SPDX-License-Identifier: BSD-3-Clause
// A structure's model runs as a list of scenarios, and the mutation of memory orders: which do they
// really need?
#pragma once

#include "lazult/probe/probe.hpp"
#include "tests/model/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace lazult::model {

struct scenario {
    std::string name;
    std::function<void(run&)> body;
    unsigned preemptions = 3;
};

// LAZULT_MODEL_PREEMPTIONS raises the bounds of all scenarios that have a lower one: make test-deep
// says 3.
inline unsigned least_preemptions() {
    const char* text = std::getenv("LAZULT_MODEL_PREEMPTIONS");
    return text == nullptr ? 0 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// Under ThreadSanitizer only the checker itself is under test, and it is 30 times slower.
inline options limits_of(const scenario& each) {
    options limits;
    limits.preemptions = probe::tsan ? 1 : std::max(each.preemptions, least_preemptions());
    if (limits.preemptions > each.preemptions) {
        limits.executions *= 100;
    }
    return limits;
}

// LAZULT_MODEL_SCENARIO names the only one to run.
inline bool is_chosen(const scenario& each) {
    const char* name = std::getenv("LAZULT_MODEL_SCENARIO");
    return name == nullptr || each.name == name;
}

inline void expect_sound(const std::vector<scenario>& scenarios) {
    for (const scenario& each : scenarios) {
        if (!is_chosen(each)) {
            continue;
        }
        const result found = explore(limits_of(each), each.body);
        EXPECT_FALSE(found.failed) << each.name << ": " << found.describe();
        EXPECT_TRUE(found.complete) << each.name;
        std::cout << each.name << ": " << found.describe() << " within "
                  << limits_of(each).preemptions << " preemptions" << std::endl;
    }
}

// A sweep takes minutes in a sanitizer's build, and what it checks is not what they look for.
inline constexpr bool sweep_is_pointless = probe::tsan || probe::asan;

// Every way to weaken one order at one place that the scenarios come by, in the order of the
// source's lines.
inline std::vector<weakening> possible_mistakes(const std::vector<scenario>& scenarios) {
    std::vector<weakening> mistakes;
    for (const scenario& each : scenarios) {
        options limits = limits_of(each);
        limits.collect_mistakes = true;
        for (const weakening& mistake : explore(limits, each.body).mistakes) {
            if (std::find(mistakes.begin(), mistakes.end(), mistake) == mistakes.end()) {
                mistakes.push_back(mistake);
            }
        }
    }
    std::sort(mistakes.begin(), mistakes.end(), [](const weakening& a, const weakening& b) {
        return std::tuple(a.line, a.kind, a.to) < std::tuple(b.line, b.kind, b.to);
    });
    return mistakes;
}

inline bool is_noticed(const weakening& mistake, const std::vector<scenario>& scenarios) {
    return std::any_of(scenarios.begin(), scenarios.end(), [&](const scenario& each) {
        options limits = limits_of(each);
        limits.weaken = {mistake};
        return explore(limits, each.body).failed;
    });
}

// The mistakes that no scenario notices. Such an order is there for a reason that the scenarios do
// not show, or for none. Equal ones of a function are numbered from its top: "pop(): load seq_cst
// -> acquire #2".
inline std::set<std::string> unnoticed_mistakes(const std::vector<scenario>& scenarios) {
    std::set<std::string> unnoticed;
    std::map<std::string, unsigned> seen;
    for (const weakening& mistake : possible_mistakes(scenarios)) {
        const std::string name = describe(mistake);
        const unsigned number = ++seen[name];
        if (!is_noticed(mistake, scenarios)) {
            unnoticed.insert(number == 1 ? name : name + " #" + std::to_string(number));
        }
    }
    return unnoticed;
}

}  // namespace lazult::model
