// SPDX-License-Identifier: BSD-3-Clause
// Model runs of sync::basic_condition: no signal is lost, also one that meets a deadline, and the
// mutex is held after each wait. The model's callers always prefer the mutex's queue to being
// woken, so that path is run too.
#include "tests/model/sync_callers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace lazult {
namespace {

using mutex = sync::basic_mutex<model::model_atomics>;
using condition = sync::basic_condition<model::model_atomics>;
using base::status;

struct box {
    mutex m;
    condition changed;
    model::model_var<int> tokens{0};

    explicit box(model::run& run) {
        run.label(m, "mutex");
        run.label(changed, "condition");
    }
    void put(bool inside) {
        m.lock();
        tokens = tokens + 1;
        if (inside) {
            changed.signal();
        }
        m.unlock();
        if (!inside) {
            changed.signal();
        }
    }
    void put_for_all() {
        m.lock();
        tokens = tokens + 2;
        changed.broadcast();
        m.unlock();
    }
    void take() {
        m.lock();
        while (tokens == 0) {
            changed.wait(m);
        }
        tokens = tokens - 1;
        m.unlock();
    }
    // One wait only: when it ends by the signal, the token is there.
    void take_until() {
        m.lock();
        status outcome = status::ok;
        if (tokens == 0) {
            outcome = changed.wait_until(m, model::some_time);
        }
        if (tokens != 0) {
            tokens = tokens - 1;
        } else {
            model::check(outcome == status::timed_out, "a signal came without its token");
        }
        m.unlock();
    }
    void expect_idle() {
        model::check(!changed.is_waited_for(), "nobody is left in the queue");
        model::check(m.try_lock(), "the mutex is free");
        m.unlock();
    }
};

void a_signal_inside(model::run& run) {
    box shared(run);
    run.thread("takes", [&] { shared.take(); });
    run.thread("puts", [&] { shared.put(true); });
    run.join();
    shared.expect_idle();
}

void a_signal_outside(model::run& run) {
    box shared(run);
    run.thread("takes", [&] { shared.take(); });
    run.thread("puts", [&] { shared.put(false); });
    run.join();
    shared.expect_idle();
}

void two_waiters_and_a_broadcast(model::run& run) {
    box shared(run);
    run.thread("takes", [&] { shared.take(); });
    run.thread("takes too", [&] { shared.take(); });
    run.thread("puts", [&] { shared.put_for_all(); });
    run.join();
    shared.expect_idle();
}

void a_deadline(model::run& run) {
    box shared(run);
    run.thread("takes", [&] { shared.take_until(); });
    run.thread("puts", [&] { shared.put(true); });
    run.join();
    shared.expect_idle();
}

// The signal must reach the patient waiter when the timed one did not take it.
void a_deadline_and_a_patient_waiter(model::run& run) {
    box shared(run);
    run.thread("timed", [&] {
        shared.m.lock();
        const status outcome = shared.changed.wait_until(shared.m, model::some_time);
        shared.m.unlock();
        if (outcome == status::ok) {
            shared.changed.signal();
        }
    });
    run.thread("patient", [&] { shared.take(); });
    run.thread("puts", [&] { shared.put(true); });
    run.join();
    shared.expect_idle();
}

// A waiter comes back with its own mutex, and leaves nothing behind at the other one.
void waiters_with_two_mutexes(model::run& run) {
    box one(run);
    box other(run);
    condition& changed = one.changed;
    const auto take = [&changed](box& mine) {
        mine.m.lock();
        while (mine.tokens == 0) {
            changed.wait(mine.m);
        }
        mine.tokens = mine.tokens - 1;
        mine.m.unlock();
    };
    run.thread("takes one", [&] { take(one); });
    run.thread("takes the other", [&] { take(other); });
    run.thread("puts", [&] {
        one.m.lock();
        one.tokens = 1;
        one.m.unlock();
        other.m.lock();
        other.tokens = 1;
        changed.broadcast();
        other.m.unlock();
    });
    run.join();
    one.expect_idle();
    other.expect_idle();
}

const std::vector<model::scenario> quick = {
    {"a_signal_inside", a_signal_inside},
    {"a_signal_outside", a_signal_outside},
    {"a_deadline", a_deadline, 2},
    {"two_waiters_and_a_broadcast", two_waiters_and_a_broadcast, 1},
};

const std::vector<model::scenario> slow = {
    {"a_deadline_and_a_patient_waiter", a_deadline_and_a_patient_waiter, 1},
};

TEST(sync_condition_model, loses_no_signal) { model::expect_sound(quick); }

TEST(sync_condition_model, among_three) { model::expect_sound(slow); }

TEST(sync_condition_model, waiters_may_have_different_mutexes) {
    model::expect_sound({{"waiters_with_two_mutexes", waiters_with_two_mutexes, 1}});
}

TEST(sync_condition_model, its_own_orders_count) {
    if (!model::sweep_is_pointless) {
        EXPECT_EQ(
            model::unnoticed_but_in(quick, {"claim(", "commit(", "sleep(", "winner(", "acquire(",
                                            "swap_if", "pass_on(", "signal_waiter", "await_"}),
            std::vector<std::string>{});
    }
}

}  // namespace
}  // namespace lazult
