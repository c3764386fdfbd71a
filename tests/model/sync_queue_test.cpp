// SPDX-License-Identifier: BSD-3-Clause
// Model runs of sync::wait_queue through the semaphore, which uses all of it: no token is lost or
// made, also when a release meets a deadline, and an object may be destroyed by the caller that it
// let pass. And of one claim word that two objects and a deadline race for.
#include "lazult/sync/barrier.hpp"
#include "lazult/sync/eventual.hpp"
#include "tests/model/sync_callers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace lazult {
namespace {

using semaphore = sync::basic_semaphore<model::model_atomics>;
using base::status;

void two_tokens(model::run& run) {
    semaphore s;
    run.label(s, "semaphore");
    run.thread("acquires", [&] { s.acquire(); });
    run.thread("acquires too", [&] { s.acquire(); });
    run.thread("releases", [&] {
        s.release();
        s.release();
    });
    run.join();
    model::check(s.tokens() == 0, "each token was taken once");
}

void a_hand_over(model::run& run) {
    semaphore s;
    model::model_var<int> data{0};
    run.label(s, "semaphore");
    run.thread("acquires", [&] {
        s.acquire();
        model::check(data == 1, "what the releaser did is visible");
    });
    run.thread("releases", [&] {
        data = 1;
        s.release();
    });
    run.join();
}

void a_deadline(model::run& run) {
    semaphore s;
    model::model_var<int> data{0};
    int taken = 0;
    run.label(s, "semaphore");
    run.thread("acquires", [&] {
        if (s.acquire_until(model::some_time) == status::ok) {
            model::check(data == 1, "what the releaser did is visible");
            ++taken;
        }
    });
    run.thread("releases", [&] {
        data = 1;
        s.release();
    });
    run.join();
    model::check(taken + static_cast<int>(s.tokens()) == 1, "the token is here or there");
}

void a_stop_request(model::run& run) {
    semaphore s;
    model::stop_request stop;
    run.label(s, "semaphore");
    int taken = 0;
    run.thread("acquires",
               [&] { taken += s.acquire_until(model::until(stop)) == status::ok ? 1 : 0; });
    run.thread("stops", [&] { stop.request(); });
    run.thread("releases", [&] { s.release(); });
    run.join();
    model::check(taken + static_cast<int>(s.tokens()) == 1, "the token is here or there");
}

void a_stop_request_and_a_deadline(model::run& run) {
    semaphore s;
    model::stop_request stop;
    run.label(s, "semaphore");
    int taken = 0;
    run.thread("acquires", [&] {
        taken += s.acquire_until(model::until(stop, model::some_time)) == status::ok ? 1 : 0;
    });
    run.thread("stops", [&] { stop.request(); });
    run.thread("releases", [&] { s.release(); });
    run.join();
    model::check(taken + static_cast<int>(s.tokens()) == 1, "the token is here or there");
}

// What the stopped one does not take, the patient one gets.
void a_stop_request_and_a_patient_one(model::run& run) {
    semaphore s;
    model::stop_request stop;
    run.label(s, "semaphore");
    int taken = 0;
    run.thread("stopped",
               [&] { taken += s.acquire_until(model::until(stop)) == status::ok ? 1 : 0; });
    run.thread("patient", [&] { s.acquire(); });
    run.thread("stops and releases", [&] {
        stop.request();
        s.release(2);
    });
    run.join();
    model::check(taken + 1 + static_cast<int>(s.tokens()) == 2, "the patient one has a token");
}

// Both callers may be stopped. Either the round of the barrier was complete before, and both pass,
// or it was not, and none passes.
void a_stopped_barrier(model::run& run) {
    sync::basic_barrier<model::model_atomics> b(2);
    model::stop_request stop;
    run.label(b, "barrier");
    int passed = 0;
    run.thread("stopped", [&] {
        bool last = false;
        passed += b.try_wait(&last, model::until(stop)) == status::ok ? 1 : 0;
    });
    model::stop_request another_stop;
    run.thread("another", [&] {
        bool last = false;
        passed += b.try_wait(&last, model::until(another_stop)) == status::ok ? 1 : 0;
    });
    run.thread("stops", [&] {
        stop.request();
        another_stop.request();
    });
    run.join();
    model::check(passed == 0 || passed == 2, "both have passed, or none");
}

void a_deadline_and_a_patient_one(model::run& run) {
    semaphore s;
    int taken = 0;
    run.label(s, "semaphore");
    run.thread("timed", [&] { taken += s.acquire_until(model::some_time) == status::ok ? 1 : 0; });
    run.thread("patient", [&] { s.acquire(); });
    run.thread("releases", [&] { s.release(2); });
    run.join();
    model::check(taken + 1 + static_cast<int>(s.tokens()) == 2, "the patient one has a token");
}

void it_is_destroyed_by_whom_it_let_pass(model::run& run) {
    std::optional<semaphore> s;
    s.emplace(0);
    run.label(*s, "semaphore");
    run.thread("acquires", [&] {
        s->acquire();
        s.reset();
    });
    run.thread("releases", [&] { s->release(); });
    run.join();
}

// One caller waits for a token of either, with a deadline, as wait_any does.
void one_claim_for_two(model::run& run) {
    using record = sync::waiter<model::model_atomics>;
    using word = sync::claim_word<model::model_atomics>;
    semaphore a;
    semaphore b;
    run.label(a, "a");
    run.label(b, "b");
    int taken = 0;
    run.thread("waits", [&] {
        sync::claimed_wait<model::model_atomics> wait(nullptr);
        record for_a(nullptr);
        record for_b(nullptr);
        for_b.index = word::first_index + 1;
        const auto list = [&](semaphore& s, record& r) {
            wait.covers(r);
            std::uint64_t w = s.waiters().hold();
            const bool had =
                semaphore::has_token(w) && wait.claim().claim(r.index) != word::result::lost;
            record* none = nullptr;
            if (had) {
                semaphore::take_token(w, none);
            } else if (!semaphore::has_token(w)) {
                s.waiters().list(r);
            }
            s.waiters().let_go(w);
            return had;
        };
        const bool at_once = list(a, for_a) || list(b, for_b);
        const std::uint32_t winner = at_once ? wait.claim().winner() : wait.sleep(model::some_time);
        taken += winner == word::timed_out ? 0 : 1;
        if (!at_once && winner != word::timed_out) {
            sync::await_release(winner == for_a.index ? for_a : for_b);
        }
        a.waiters().withdraw(for_a);
        b.waiters().withdraw(for_b);
    });
    run.thread("releases a", [&] { a.release(); });
    run.thread("releases b", [&] { b.release(); });
    run.join();
    model::check(taken + static_cast<int>(a.tokens() + b.tokens()) == 2,
                 "no token is lost or made");
}

// One of two setters wins, also while the other one copies its value, and the winner's value stays.
void two_set_an_eventual(model::run& run) {
    int value = 0;
    sync::basic_event_cell<model::model_atomics> cell(sizeof value, &value);
    run.label(cell, "cell");
    int winners = 0;
    int winner = 0;
    const auto set = [&](int mine) {
        if (cell.set(&mine, sizeof mine) == status::ok) {
            ++winners;
            winner = mine;
        }
    };
    run.thread("sets 1", [&] { set(1); });
    run.thread("sets 2", [&] { set(2); });
    run.join();
    model::check(winners == 1, "one of them set it");
    model::check(cell.is_set() && value == winner, "its value stays");
}

const std::vector<model::scenario> quick = {
    {"a_hand_over", a_hand_over},
    {"a_deadline", a_deadline, 2},
    {"it_is_destroyed_by_whom_it_let_pass", it_is_destroyed_by_whom_it_let_pass},
    {"two_tokens", two_tokens, 1},
};

const std::vector<model::scenario> slow = {
    {"a_deadline_and_a_patient_one", a_deadline_and_a_patient_one, 0},
    {"one_claim_for_two", one_claim_for_two, 0},
    {"a_stop_request", a_stop_request, 1},
    {"a_stopped_barrier", a_stopped_barrier, 1},
    {"a_stop_request_and_a_deadline", a_stop_request_and_a_deadline, 1},
    {"a_stop_request_and_a_patient_one", a_stop_request_and_a_patient_one, 0},
};

TEST(sync_queue_model, loses_and_makes_no_tokens) { model::expect_sound(quick); }

TEST(sync_queue_model, an_eventual_is_set_once) {
    model::expect_sound({{"two_set_an_eventual", two_set_an_eventual}});
}

TEST(sync_queue_model, among_three) { model::expect_sound(slow); }

// For the claim word see sync_mutex_test.cpp. A fast path acquires twice, in peek() and in the
// compare-and-swap of update(). One of the two would do here; both are needed, because some callers
// only peek, and some only swap. await_release() is needed if a waker writes in the record: the
// mutex's runs notice it.
TEST(sync_queue_model, each_of_its_orders_counts) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP();
    }
    for (const std::string& each : model::unnoticed_but_in(
             quick, {"claim(", "commit(", "sleep(", "winner(", "peek(", "await_release"})) {
        EXPECT_TRUE(each.starts_with("swap_if") && each.ends_with("acq_rel -> release")) << each;
    }
}

}  // namespace
}  // namespace lazult
