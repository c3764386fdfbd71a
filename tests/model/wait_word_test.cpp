// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core::wait_word. Either the waker or the interrupter resumes the unit, not both,
// and not before its context is saved. A token that the waker gave is with the unit or still there.
// A request is not missed, whether it comes before the wait begins, while it begins, or after that.
// Also of a joiner that lets a child wait in its place: the child stays while an interrupter holds
// it.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;
using word = core::wait_word<atomics>;

// Something with one place for a waiter, under a lock, as sync::wait_queue has it.
struct token_box {
    enum : int { none, listed, taken };

    atomics::atomic<std::uint32_t> lock;
    model::model_var<int> tokens{0};
    model::model_var<int> record{none};

    void hold() {
        while (lock.exchange(1, std::memory_order_acquire) != 0) {
            atomics::pause();
        }
    }
    void let_go() { lock.store(0, std::memory_order_release); }
};

// A unit on its stream, as lazult/sync/wait_queue.hpp and core/switch/interrupt.cpp have it.
struct waiting_unit {
    word wait;
    atomics::atomic<std::uint8_t> asked;
    atomics::atomic<std::uint32_t> inbox;
    model::model_var<int> context{0};
    model::model_var<int> frame{0};      // what the waker touches last
    model::model_var<int> published{0};  // what the publisher writes when the record is listed
    model::model_var<int> reason{0};
    bool has_reason = false;
    token_box box;
    int suspended = 0;
    int resumed = 0;
    int got = 0;
    int canceled = 0;

    explicit waiting_unit(model::run& run) {
        run.label(wait, "wait word");
        run.label(asked, "asked");
        run.label(inbox, "inbox");
        run.label(box, "box");
    }

    // make_ready(), by the side that has to resume the unit
    void make_ready() {
        model::check(context == suspended, "whoever resumes the unit finds its context saved");
        inbox.store(1, std::memory_order_release);
        atomics::futex_wake(inbox, 1);
    }

    // sync::wait_queue::block_guarded(). True: it has a token.
    bool wait_once() {
        const word::state before = wait.begin();
        if (asked.load(std::memory_order_relaxed) != 0) {
            wait.end(before);
            return false;
        }
        context = ++suspended;
        const bool is_listed = list();
        published = published + 1;
        if (!is_listed || !wait.commit()) {
            model::check(++resumed == suspended, "it is resumed once");
        } else {
            while (inbox.exchange(0, std::memory_order_acquire) == 0) {
                atomics::futex_wait(inbox, 0, -1);
            }
            model::check(++resumed == suspended, "it is resumed once");
        }
        const bool success = !wait.was_interrupted() || !take_back();
        if (!success && has_reason) {
            model::check(reason == 1, "what the interrupter did before is seen");
        }
        frame = frame + 1;
        published = published + 1;
        wait.end(before);
        return success;
    }
    // The same on two streams: the unit suspends on one, and goes on on another.
    void suspend_here() {
        wait.begin();
        context = ++suspended;
        const bool is_listed = list();
        published = published + 1;
        if (!is_listed || !wait.commit()) {
            make_ready();
        }
    }
    void go_on_there() {
        while (inbox.exchange(0, std::memory_order_acquire) == 0) {
            atomics::futex_wait(inbox, 0, -1);
        }
        model::check(++resumed == suspended, "it is resumed once");
        got += !wait.was_interrupted() || !take_back() ? 1 : 0;
        published = published + 1;
        wait.end(word::open);
    }
    bool list() {
        box.hold();
        const bool passed = box.tokens != 0;
        if (passed) {
            box.tokens = box.tokens - 1;
            box.record = token_box::none;
        } else {
            box.record = token_box::listed;
        }
        box.let_go();
        return !passed;
    }
    bool take_back() {
        box.hold();
        const int found = box.record;
        box.record = token_box::none;
        box.let_go();
        if (found == token_box::taken) {
            while (!wait.was_passed_by()) {
                atomics::pause();
            }
        }
        return found == token_box::listed;
    }
    void run_once() {
        if (wait_once()) {
            ++got;
        } else {
            ++canceled;
        }
    }

    // sync::semaphore::release() and sync::wake()
    void release() {
        box.hold();
        const bool waits = box.record == token_box::listed;
        if (waits) {
            box.record = token_box::taken;
        } else {
            box.tokens = box.tokens + 1;
        }
        box.let_go();
        if (!waits) {
            return;
        }
        frame = frame + 1;
        if (wait.resume()) {
            make_ready();
        }
    }
    // core::cancel_waits()
    void cancel() {
        if (has_reason) {
            reason = 1;
        }
        asked.store(1, std::memory_order_relaxed);
        atomics::heavy_barrier();
        if (wait.interrupt()) {
            make_ready();
        }
    }
    void expect_settled(int tokens, int waits) {
        model::check(resumed == suspended, "every suspension has ended");
        model::check(got + box.tokens == tokens, "no token is lost or made");
        model::check(got + canceled == waits, "every wait has ended");
    }
};

void a_cancel(model::run& run) {
    waiting_unit u(run);
    u.has_reason = true;
    run.thread("unit", [&] { u.run_once(); });
    run.thread("canceller", [&] { u.cancel(); });
    run.join();
    model::check(u.canceled == 1, "the wait was cancelled");
    u.expect_settled(0, 1);
}

void a_cancel_and_a_waker(model::run& run) {
    waiting_unit u(run);
    run.thread("unit", [&] { u.run_once(); });
    run.thread("canceller", [&] { u.cancel(); });
    run.thread("waker", [&] { u.release(); });
    run.join();
    u.expect_settled(1, 1);
}

// What the first wait got away with ends the second.
void the_next_wait_ends(model::run& run) {
    waiting_unit u(run);
    run.thread("unit", [&] {
        u.run_once();
        u.run_once();
    });
    run.thread("canceller", [&] { u.cancel(); });
    run.thread("waker", [&] { u.release(); });
    run.join();
    model::check(u.canceled >= 1, "a wait was cancelled");
    u.expect_settled(1, 2);
}

void two_cancellers(model::run& run) {
    waiting_unit u(run);
    run.thread("unit", [&] { u.run_once(); });
    run.thread("canceller", [&] { u.cancel(); });
    run.thread("another", [&] { u.cancel(); });
    run.join();
    u.expect_settled(0, 1);
}

void goes_on_elsewhere(model::run& run) {
    waiting_unit u(run);
    run.thread("stream", [&] { u.suspend_here(); });
    run.thread("another stream", [&] { u.go_on_there(); });
    run.thread("waker", [&] { u.release(); });
    run.join();
    u.expect_settled(1, 1);
}

void goes_on_elsewhere_when_cancelled(model::run& run) {
    waiting_unit u(run);
    run.thread("stream", [&] { u.suspend_here(); });
    run.thread("another stream", [&] { u.go_on_there(); });
    run.thread("canceller", [&] {
        while (u.wait.now() < word::preparing) {
            atomics::pause();
        }
        u.cancel();
    });
    run.join();
    model::check(u.resumed == 1 && u.got == 0, "the wait was cancelled");
}

// core/switch/interrupt.cpp: enter_in_lenders(), is_one_asked(), leave_lenders() and interrupt().
struct lent_joiner {
    word wait;
    atomics::atomic<std::uint8_t> asked;
    model::model_var<int> next{0};
    int found = 0;
    int seen = 0;

    explicit lent_joiner(model::run& run) {
        run.label(wait, "joiner's wait word");
        run.label(asked, "joiner asked");
    }
    void child_waits(int name) {
        next = name;
        wait.lend();
        while (!wait.take_back()) {
            atomics::pause();
        }
        next = 0;
    }
    void cancel() {
        asked.store(1, std::memory_order_relaxed);
        atomics::heavy_barrier();
        if (wait.hold_child()) {
            found = next;
            wait.let_child_go();
        }
    }
};

void a_child_is_held(model::run& run) {
    lent_joiner j(run);
    run.thread("child", [&] {
        j.child_waits(1);
        j.child_waits(2);
    });
    run.thread("canceller", [&] { j.cancel(); });
    run.join();
    model::check(j.wait.is_open(), "it is as it was");
}

// The child's wait does not end by itself here: one of the two sees the other.
void a_request_reaches_the_child(model::run& run) {
    lent_joiner j(run);
    run.thread("child", [&] {
        j.next = 7;
        j.wait.lend();
        atomics::light_barrier();
        j.seen = j.asked.load(std::memory_order_relaxed);
    });
    run.thread("canceller", [&] { j.cancel(); });
    run.join();
    model::check(j.found == 7 || j.seen == 1, "the request reaches the child");
}

// The child is about to wait, and its wait ends by the request alone, whichever of the two the
// canceller finds first: the joiner's word or the child's.
void a_request_ends_the_wait_of_the_child(model::run& run) {
    lent_joiner j(run);
    lent_joiner child(run);
    bool is_asked = false;
    run.thread("child", [&] {
        j.next = 1;
        j.wait.lend();
        child.wait.begin();
        is_asked = j.asked.load(std::memory_order_relaxed) != 0;
    });
    run.thread("canceller", [&] {
        j.asked.store(1, std::memory_order_relaxed);
        atomics::heavy_barrier();
        if (j.wait.hold_child()) {
            child.wait.interrupt();
            j.wait.let_child_go();
        }
    });
    run.join();
    model::check(is_asked || child.wait.was_interrupted(), "the request ends the child's wait");
}

const std::vector<model::scenario> scenarios = {
    {"a_cancel", a_cancel},
    {"a_cancel_and_a_waker", a_cancel_and_a_waker, 2},
    {"the_next_wait_ends", the_next_wait_ends, 2},
    {"goes_on_elsewhere", goes_on_elsewhere, 2},
    {"goes_on_elsewhere_when_cancelled", goes_on_elsewhere_when_cancelled, 2},
    {"two_cancellers", two_cancellers, 2},
    {"a_child_is_held", a_child_is_held},
    {"a_request_reaches_the_child", a_request_reaches_the_child},
    {"a_request_ends_the_wait_of_the_child", a_request_ends_the_wait_of_the_child},
};

TEST(wait_word_model, resumes_once_and_loses_nothing) { model::expect_sound(scenarios); }

TEST(wait_word_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
