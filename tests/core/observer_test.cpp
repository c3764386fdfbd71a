// SPDX-License-Identifier: BSD-3-Clause
// What an observer of units gets to know.
#include "lazult/core/observe/observer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

// What a tool may believe of a unit: blocked between suspends and resumes, ready until runs.
class watcher {
public:
    enum step { suspended, resumed, ran, left, cancelled };
    static inline watcher* present = nullptr;

    watcher() {
        present = this;
        static constexpr core::unit_observer observer{
            [](work_unit* u) noexcept { present->note(u, suspended); },
            [](work_unit* u) noexcept { present->note(u, resumed); },
            [](work_unit* u) noexcept { present->note(u, ran); },
            [](work_unit* u) noexcept {
                present->note(u, left);
                return true;
            },
            [](work_unit* u) noexcept { present->note(u, cancelled); },
        };
        core::observe_units(&observer);
    }
    ~watcher() { core::observe_units(nullptr); }
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;

    std::vector<step> of(const unit& u) const {
        const std::lock_guard hold(lock_);
        const auto found = steps_.find(u.get());
        return found == steps_.end() ? std::vector<step>() : found->second;
    }
    void expect_rounds(const unit& u, std::size_t rounds, const std::string& what) const {
        std::vector<step> expected;
        for (std::size_t i = 0; i < rounds; ++i) {
            expected.insert(expected.end(), {suspended, resumed, ran});
        }
        EXPECT_EQ(of(u), expected) << what;
    }

private:
    void note(work_unit* u, step what) {
        if (what == suspended || what == ran) {
            EXPECT_EQ(core::current_unit(), u);
        }
        const std::lock_guard hold(lock_);
        steps_[u].push_back(what);
    }

    mutable std::mutex lock_;
    std::map<const work_unit*, std::vector<step>> steps_;
};

unit watched(core::pool& home, technique how, std::function<void()> body) {
    unit u(home, core::unit_attributes(how), std::move(body));
    core::watch(*u.get());
    return u;
}

TEST(observer, tells_of_suspensions_and_not_of_yields) {
    const runtime running;
    for (const technique how : suspending_techniques) {
        watcher all;
        unit other = spawn(pinned(), how, [] {
            for (int i = 0; i < 10; ++i) {
                core::yield();
            }
        });
        unit u = watched(pinned(), how, [] {
            core::yield();
            suspend_for_a_moment();
            core::yield();
            suspend_for_a_moment();
            core::unpark(core::current_unit());
            core::park();  // no suspension
        });
        u.launch();
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(other.join(), status::ok);
        all.expect_rounds(u, 2, name_of(how));
        EXPECT_TRUE(all.of(other).empty());
    }
}

// The runtime calls the observer after park() has looked for a token and before it saves the unit's
// context.
TEST(observer, may_unpark_a_unit_that_is_about_to_park) {
    const runtime running;
    static constexpr core::unit_observer unparks{
        [](work_unit* u) noexcept { core::unpark(u); },
        [](work_unit*) noexcept {},
        [](work_unit*) noexcept {},
        [](work_unit*) noexcept { return true; },
        [](work_unit*) noexcept {},
    };
    core::observe_units(&unparks);
    for (const technique how : suspending_techniques) {
        unit u = watched(pinned(), how, [] { core::park(); });
        u.launch();
        EXPECT_EQ(u.join(), status::ok) << name_of(how);
    }
    core::observe_units(nullptr);
}

// Between the joiner's look and its entry in the child's word.
TEST(observer, may_see_the_child_end_before_its_joiner_has_left) {
    const runtime running(2);
    static work_unit* child;
    static std::atomic<bool> go_on;
    static constexpr core::unit_observer awaits_the_end{
        [](work_unit*) noexcept {
            go_on = true;
            while (!child->join.is_finished()) {
                std::this_thread::yield();
            }
        },
        [](work_unit*) noexcept {},
        [](work_unit*) noexcept {},
        [](work_unit*) noexcept { return true; },
        [](work_unit*) noexcept {},
    };
    core::observe_units(&awaits_the_end);
    for (const technique how : suspending_techniques) {
        go_on = false;
        unit awaited = spawn(*sched::stream_at(1)->pinned(), how, [] {
            while (!go_on.load()) {
                std::this_thread::yield();
            }
        });
        child = awaited.get();
        unit joiner = watched(pinned(), how, [&] { EXPECT_EQ(awaited.join(), status::ok); });
        joiner.launch();
        EXPECT_EQ(joiner.join(), status::ok) << name_of(how);
    }
    core::observe_units(nullptr);
}

TEST(observer, tells_of_joins_wherever_the_child_runs) {
    const runtime running(2);
    for (const technique how : suspending_techniques) {
        watcher all;
        unit children[4];
        unit u = watched(pinned(), how, [&] {
            int i = 0;
            for (core::pool* home : {static_cast<core::pool*>(&pinned()), &default_pool(),
                                     static_cast<core::pool*>(sched::stream_at(1)->pinned())}) {
                children[i] = watched(*home, how, [] { suspend_for_a_moment(); });
                children[i].launch();
                core::yield();
                EXPECT_EQ(children[i].join(), status::ok);
                ++i;
            }
            children[3] = watched(pinned(), how, [] {});
            children[3].launch();
            EXPECT_EQ(children[3].join(), status::ok);
        });
        u.launch();
        EXPECT_EQ(u.join(), status::ok);
        const auto steps = all.of(u);
        ASSERT_EQ(steps.size() % 3, 0U);
        all.expect_rounds(u, steps.size() / 3, name_of(how));
        for (int i = 0; i < 3; ++i) {
            all.expect_rounds(children[i], 1, name_of(how));
        }
        EXPECT_TRUE(all.of(children[3]).empty());
    }
}

TEST(observer, tells_of_parks_by_name) {
    const runtime running;
    watcher all;
    sched::private_fifo room;
    unit second = spawn(room, technique::adaptive, [] {});
    unit u = watched(pinned(), technique::adaptive,
                     [&] { core::park_to(room.pop(core::this_worker())); });
    u.launch();
    while (u.get()->state() != core::life_state::blocked) {
        suspend_for_a_moment();
    }
    EXPECT_EQ(all.of(u), std::vector<watcher::step>{watcher::suspended});
    core::unpark(u.get());
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(second.join(), status::ok);
    all.expect_rounds(u, 1, "park_to");
}

TEST(observer, tells_of_cancellation_before_the_start) {
    const runtime running;
    watcher all;
    unit u = watched(pinned(), technique::adaptive, [] { ADD_FAILURE() << "it ran"; });
    core::cancel(*u.get());
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(all.of(u), std::vector<watcher::step>{watcher::cancelled});
}

TEST(observer, tells_of_moves) {
    const runtime running(2);
    watcher all;
    unit u = watched(pinned(), technique::adaptive, [] {
        core::migrate(*core::current_unit(), *sched::stream_at(1)->pinned());
        core::yield();
    });
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(all.of(u), (std::vector<watcher::step>{watcher::left, watcher::ran}));
}

TEST(observer, the_primary_may_watch_itself) {
    const watcher all;  // outlives the primary
    const runtime running;
    suspend_for_a_moment();
    core::watch(*core::current_unit());
    suspend_for_a_moment();
    unit u = spawn(pinned(), technique::full, [] { suspend_for_a_moment(); });
    EXPECT_EQ(u.join(), status::ok);
    suspend_for_a_moment();
}

}  // namespace
