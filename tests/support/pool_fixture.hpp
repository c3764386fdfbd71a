// SPDX-License-Identifier: BSD-3-Clause
// What tests of pools by themselves need: prepared units that never run, and thieves.
#pragma once

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/runtime.hpp"

namespace lazult::support {

// Prepared units that never run.
class pool_fixture : public testing::Test {
protected:
    void SetUp() override { units_before_ = core::live_units(); }
    void TearDown() override {
        for (work_unit* u : made_) {
            core::dispose(&core::this_worker(), u);
        }
        EXPECT_EQ(core::live_units(), units_before_);
    }

    work_unit* make(core::pool& home, std::uint8_t priority = 0) {
        core::unit_attributes attributes(technique::lazy_stack);
        attributes.priority(priority);
        made_.push_back(
            core::prepare(core::this_worker(), home, [](void*) {}, nullptr, attributes));
        return made_.back();
    }
    std::vector<work_unit*> make_pushed(core::pool& home, int count) {
        std::vector<work_unit*> all;
        for (int i = 0; i < count; ++i) {
            all.push_back(make(home));
            home.push(&core::this_worker(), all.back());
        }
        return all;
    }
    static std::vector<work_unit*> pop_all(core::pool& home) {
        std::vector<work_unit*> all;
        while (work_unit* u = home.pop(core::this_worker())) {
            all.push_back(u);
        }
        return all;
    }

private:
    std::size_t units_before_ = 0;
    std::vector<work_unit*> made_;
};

inline std::vector<work_unit*> shown_by(core::pool& pool) {
    std::vector<work_unit*> all;
    pool.for_each(
        [](work_unit* u, void* v) { static_cast<std::vector<work_unit*>*>(v)->push_back(u); },
        &all);
    return all;
}

// What one thief has after it stole once, besides what it runs next. They go back.
inline std::size_t left_to_thief(sched::stealing_pool& from, bool expects_one = true) {
    std::size_t more = 0;
    std::thread([&] {
        worker& thief = core::this_worker();
        sched::stealing_pool own;
        own.join_group(1);
        own.attach(thief);
        work_unit* first = from.steal(thief, own);
        EXPECT_EQ(first != nullptr, expects_one);
        more = own.size();
        while (work_unit* u = own.pop(thief)) {
            EXPECT_EQ(u->home, &own);
            u->home = &from;
            from.push(nullptr, u);
        }
        if (first != nullptr) {
            first->home = &from;
            from.push(nullptr, first);
        }
        own.detach(thief);
    }).join();
    return more;
}

}  // namespace lazult::support
