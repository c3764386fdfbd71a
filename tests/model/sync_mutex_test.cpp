// SPDX-License-Identifier: BSD-3-Clause
// Model runs of sync::basic_mutex: it excludes, loses no wake-up, settles deadlines, and may be
// destroyed by the next owner. Its limits are so low here that hand-overs are part of the runs.
#include "tests/model/sync_callers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace lazult {
namespace {

using mutex = sync::basic_mutex<model::model_atomics>;
using base::status;

struct counted {
    mutex m;
    model::model_var<int> count{0};

    explicit counted(model::run& run) { run.label(m, "mutex"); }
    void add() {
        m.lock();
        add_held();
    }
    void add_until() {
        if (m.lock_until(model::some_time) == status::ok) {
            add_held();
        }
    }
    void add_held() {
        count = count + 1;
        ++entered;
        m.unlock();
    }
    void expect_counted() {
        model::check(m.try_lock(), "it is free in the end");
        model::check(count == entered, "each section was alone");
        m.unlock();
    }
    int entered = 0;
};

void two_threads(model::run& run) {
    counted shared(run);
    run.thread("one", [&] {
        shared.add();
        shared.add();
    });
    run.thread("two", [&] {
        shared.add();
        shared.add();
    });
    run.join();
    model::check(shared.entered == 4, "all came in");
    shared.expect_counted();
}

void three_threads(model::run& run) {
    counted shared(run);
    for (const char* name : {"one", "two", "three"}) {
        run.thread(name, [&] { shared.add(); });
    }
    run.join();
    model::check(shared.entered == 3, "all came in");
    shared.expect_counted();
}

void two_wait_for_a_holder(model::run& run) {
    counted shared(run);
    run.thread("holder", [&] {
        shared.add();
        shared.add();
    });
    run.thread("two", [&] { shared.add(); });
    run.thread("three", [&] { shared.add(); });
    run.join();
    model::check(shared.entered == 4, "all came in");
    shared.expect_counted();
}

void a_deadline(model::run& run) {
    counted shared(run);
    run.thread("patient", [&] {
        shared.add();
        shared.add();
    });
    run.thread("timed", [&] { shared.add_until(); });
    run.join();
    model::check(shared.entered >= 2, "the patient one came in");
    shared.expect_counted();
}

// When its deadline passes, the timed waiter must not take a wake-up with it that the third caller
// needs.
void a_deadline_among_three(model::run& run) {
    counted shared(run);
    run.thread("holder", [&] { shared.add(); });
    run.thread("timed", [&] { shared.add_until(); });
    run.thread("patient", [&] { shared.add(); });
    run.join();
    model::check(shared.entered >= 2, "the patient ones came in");
    shared.expect_counted();
}

// A waiter was woken, but another caller took the mutex first, and the waiter's deadline has passed
// by then. `held` begins locked, so that the holder's first unlock finds the waiters.
void a_loser_gives_up(model::run& run) {
    counted held(run);
    held.m.lock();
    run.thread("holder", [&] {
        held.add_held();
        held.add();
    });
    run.thread("timed", [&] { held.add_until(); });
    run.join();
    model::check(held.entered >= 2, "the holder came in");
    held.expect_counted();
}

// While another one waits behind it, which nobody else would wake.
void a_loser_gives_up_before_another(model::run& run) {
    counted held(run);
    held.m.lock();
    run.thread("holder", [&] {
        held.add_held();
        if (held.m.try_lock()) {
            held.add_held();
        }
    });
    run.thread("timed", [&] { held.add_until(); });
    run.thread("patient", [&] { held.add(); });
    run.join();
    model::check(held.entered >= 2, "the patient one came in");
    held.expect_counted();
}

void try_against_lock(model::run& run) {
    counted shared(run);
    run.thread("locks", [&] { shared.add(); });
    run.thread("tries", [&] {
        if (shared.m.try_lock()) {
            shared.add_held();
        }
    });
    run.join();
    shared.expect_counted();
}

void the_next_owner_destroys_it(model::run& run) {
    std::optional<mutex> m;
    m.emplace();
    run.label(*m, "mutex");
    model::model_var<int> users{2};
    const auto use = [&] {
        m->lock();
        users = users - 1;
        const bool last = users == 0;
        m->unlock();
        if (last) {
            m.reset();
        }
    };
    run.thread("one", use);
    run.thread("two", use);
    run.join();
    model::check(!m.has_value(), "the last one destroyed it");
}

const std::vector<model::scenario> quick = {
    {"try_against_lock", try_against_lock},
    {"the_next_owner_destroys_it", the_next_owner_destroys_it},
    {"two_threads", two_threads},
    {"two_wait_for_a_holder", two_wait_for_a_holder, 1},
    {"three_threads", three_threads, 1},
    {"a_deadline", a_deadline, 2},
};

const std::vector<model::scenario> slow = {
    {"three_threads", three_threads, 2},
    {"a_deadline_among_three", a_deadline_among_three, 1},
};

TEST(sync_mutex_model, excludes_and_loses_no_wake_up) { model::expect_sound(quick); }

TEST(sync_mutex_model, among_three) { model::expect_sound(slow); }

TEST(sync_mutex_model, a_loser_has_the_mutex_or_gives_up) {
    model::expect_sound({{"a_loser_gives_up", a_loser_gives_up, 2}});
}

TEST(sync_mutex_model, a_loser_leaves_no_wake_up_behind) {
    model::expect_sound({{"a_loser_gives_up_before_another", a_loser_gives_up_before_another, 1}});
}

// The claim word's orders publish the saved context of a ULT, and the model has none: its threads
// are released by the record's signal. Of swap_if, which all functions share, one order of the
// acq_rel ones is not needed here.
TEST(sync_mutex_model, each_of_its_orders_counts) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP();
    }
    const auto rest = model::unnoticed_but_in(quick, {"claim(", "commit(", "sleep(", "winner("});
    ASSERT_LE(rest.size(), 1U);
    if (!rest.empty()) {
        EXPECT_TRUE(rest[0].starts_with("swap_if") && rest[0].ends_with("acq_rel -> acquire"))
            << rest[0];
    }
}

}  // namespace
}  // namespace lazult
