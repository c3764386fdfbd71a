// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the watch over threads that keep calls: one that opens its slots is always looked
// after. Over the shipped word.
#include "lazult/api/latent_watch.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;

struct shared_state {
    api::latent_watch<atomics> watch;
    atomics::atomic<int> open{0};
    atomics::atomic<int> woken{0};
};

// latent_slots::open() and have_slots_watched().
void open_slots(shared_state& s) {
    s.open.store(1, std::memory_order_relaxed);
    if (s.watch.begin()) {
        s.woken.store(1, std::memory_order_relaxed);
    }
}
bool end_watch(shared_state& s) {
    return s.watch.end([&] { return s.open.load(std::memory_order_relaxed) != 0; });
}

void check_that_it_is_watched(shared_state& s, bool ended) {
    model::check(s.watch.is_on(), "the watch is on while slots are open");
    model::check(!ended || s.woken.load(std::memory_order_relaxed) == 1,
                 "a watcher goes on, or another is woken");
}

void a_thread_opens_as_the_watch_ends(model::run& run) {
    shared_state s;
    bool ended = false;
    s.watch.begin();
    run.thread("opener", [&] { open_slots(s); });
    run.thread("watcher", [&] { ended = end_watch(s); });
    run.join();
    check_that_it_is_watched(s, ended);
}

void two_threads_open(model::run& run) {
    shared_state s;
    run.thread("one", [&] { open_slots(s); });
    run.thread("two", [&] { open_slots(s); });
    run.join();
    check_that_it_is_watched(s, true);
}

const std::vector<model::scenario> scenarios = {
    {"a_thread_opens_as_the_watch_ends", a_thread_opens_as_the_watch_ends},
    {"two_threads_open", two_threads_open},
};

TEST(latent_watch_model, looks_after_every_open_thread) { model::expect_sound(scenarios); }

TEST(latent_watch_model, needs_both_barriers) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
