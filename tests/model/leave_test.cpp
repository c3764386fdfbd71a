// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core/switch/leave.hpp: a unit makes itself known to its wakers before the switch
// has saved its context. A stream that takes it meanwhile waits, and then finds all that the switch
// saved. No two streams wait for each other.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;

constexpr int stale = 1;  // of an earlier suspension
constexpr int leaving = 2;
constexpr int saved = 3;

// work_unit::context, what the switch saves, and the park word. A pool is here a flag.
struct unit {
    core::park_word<atomics> park;
    atomics::atomic<int> context{stale};
    model::model_var<int> frame{0};
    atomics::atomic<bool> is_ready{false};

    void label(model::run& run) {
        run.label(park, "park word");
        run.label(context, "context");
        run.label(frame, "frame");
        run.label(is_ready, "ready");
    }

    // leave_published(): begin_to_leave(), publish(), and the switch
    void begin() { context.store(leaving, std::memory_order_relaxed); }
    void publish() {
        if (!park.commit()) {
            make_ready();
        }
    }
    void save() {
        frame = 1;
        context.store(saved, std::memory_order_release);
    }
    void leave() {
        begin();
        publish();
        save();
    }
    void make_ready() { is_ready.store(true, std::memory_order_release); }

    // find_target()
    void await_context() const {
        int seen = context.load(std::memory_order_acquire);
        while (seen == leaving) {
            atomics::pause();
            seen = context.load(std::memory_order_acquire);
        }
        model::check(seen == saved, "nobody finds an older context");
    }
    void take() {
        while (!is_ready.load(std::memory_order_acquire)) {
            atomics::pause();
        }
        await_context();
    }
    void run() {
        take();
        model::check(frame == 1, "all that was saved is seen");
        frame = 2;
    }
};

void wake(unit& u, model::model_var<int>& news) {
    news = 1;
    if (u.park.unpark()) {
        u.make_ready();
    }
}

void is_woken_while_it_leaves(model::run& run) {
    unit shared;
    model::model_var<int> news{0};
    shared.label(run);
    run.thread("its stream", [&] { shared.leave(); });
    run.thread("waker", [&] { wake(shared, news); });
    run.thread("another stream", [&] {
        shared.run();
        model::check(news == 1, "what its waker did is seen");
    });
    run.join();
    model::check(shared.frame == 2, "it has run once");
}

void is_run_by_its_waker(model::run& run) {
    unit shared;
    model::model_var<int> news{0};
    shared.label(run);
    run.thread("its stream", [&] { shared.leave(); });
    run.thread("waker", [&] {
        wake(shared, news);
        shared.run();
    });
    run.join();
    model::check(shared.frame == 2, "it has run once");
}

// Each stream's running unit suspends, and the other stream's may be the next that it takes.
template <bool takes_first>
void streams_take_each_others_units(model::run& run) {
    unit one;
    unit other;
    one.label(run);
    other.label(run);
    const auto suspend = [](unit& self, unit& next) {
        if (takes_first) {
            // Not there yet: then the stream runs something else.
            if (next.is_ready.load(std::memory_order_acquire)) {
                next.await_context();
            }
            self.begin();
            self.make_ready();
        } else {
            self.begin();
            self.make_ready();
            if (next.is_ready.load(std::memory_order_acquire)) {
                next.await_context();
            }
        }
        self.save();
    };
    run.thread("stream 1", [&] { suspend(one, other); });
    run.thread("stream 2", [&] { suspend(other, one); });
    run.join();
}

// A yield publishes its unit first, and then waits for the next one: so thieves must leave a unit
// that has not left.
void one_yields_while_the_other_suspends(model::run& run) {
    unit yields;
    unit suspends;
    yields.label(run);
    suspends.label(run);
    run.thread("stream 1", [&] {
        yields.begin();
        yields.make_ready();
        if (suspends.is_ready.load(std::memory_order_acquire)) {
            suspends.await_context();
        }
        yields.save();
    });
    run.thread("stream 2", [&] {
        if (yields.is_ready.load(std::memory_order_acquire)) {
            const int seen = yields.context.load(std::memory_order_acquire);
            if (seen != leaving) {
                model::check(seen == saved && yields.frame == 1,
                             "a thief finds all that was saved");
            }
        }
        suspends.begin();
        suspends.make_ready();
        suspends.save();
    });
    run.join();
}

const std::vector<model::scenario> scenarios = {
    {"is_woken_while_it_leaves", is_woken_while_it_leaves},
    {"is_run_by_its_waker", is_run_by_its_waker},
    {"streams_take_each_others_units", streams_take_each_others_units<true>},
    {"one_yields_while_the_other_suspends", one_yields_while_the_other_suspends},
};

TEST(leave_model, a_unit_is_run_when_it_has_left) { model::expect_sound(scenarios); }

TEST(leave_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

// A stream that publishes its unit, and only then waits for the next one to leave, may wait for
// ever.
TEST(leave_model, a_unit_that_is_published_waits_for_no_other) {
    const auto body = streams_take_each_others_units<false>;
    EXPECT_TRUE(model::explore(model::limits_of({"", body}), body).failed);
}

}  // namespace
}  // namespace lazult
