// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the Concert door's turn: one thread at a time is inside a strand, and what is left
// there from outside is found.
#include "doors/concert/src/contexts/turn.hpp"
#include "lazult/ds/mpsc_queue.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using turn = concert::turn<model::model_atomics>;
using holds = concert::hold_count<model::model_atomics>;
using counted_turn = concert::counted_turn<model::model_atomics>;

struct item {
    item* next = nullptr;
};

// A strand whose work is to count what was left in its mailbox. `visits` stands for the tasklets
// that are on their way: a thread of the model runs them until all is found.
struct strand {
    turn word;
    ds::mpsc_queue<item, &item::next, model::model_atomics> mailbox;
    model::model_var<int> found{0};  // plain: only the thread inside may touch it
    model::model_atomics::atomic<int> visits{0};
    model::model_atomics::atomic<int> total{0};
    std::array<item, 2> items;

    explicit strand(model::run& run) {
        run.label(word, "word");
        run.label(mailbox, "mailbox");
        run.label(found, "found");
        run.label(visits, "visits");
        run.label(total, "total");
    }
    void take_in() {
        for (item* i = mailbox.take_all(); i != nullptr; i = i->next) {
            found = found.get() + 1;
        }
    }
    void leave() {
        for (;;) {
            publish();
            if (word.try_leave()) {
                return;
            }
            word.look_again();
            take_in();
        }
    }
    void leave_ready_work() {
        publish();
        if (word.leave_to_visit()) {
            send_visit();
        }
    }
    void enter_and_leave() {
        if (word.try_enter()) {
            take_in();
            leave();
        }
    }
    void enter_and_leave_ready_work() {
        if (word.try_enter()) {
            take_in();
            leave_ready_work();
        }
    }
    void publish() { total.store(found.get(), std::memory_order_relaxed); }
    void post(std::size_t i) {
        mailbox.push(&items[i]);
        if (!word.announce_to_expected() && word.announce()) {
            send_visit();
        }
    }
    // A tasklet orders more: the word alone must suffice.
    void send_visit() {
        const int before = visits.fetch_add(1, std::memory_order_relaxed);
        model::check(before == 0, "no other visit is on its way");
    }
    // The stream that runs the visits that have been sent.
    void run_visits(int wanted) {
        while (total.load(std::memory_order_relaxed) != wanted) {
            if (visits.load(std::memory_order_relaxed) > 0) {
                visits.fetch_sub(1, std::memory_order_relaxed);
                if (word.try_enter_by_visit()) {
                    take_in();
                    leave();
                }
            }
            model::model_atomics::pause();
        }
    }
};

void one_posts_while_another_is_inside(model::run& run) {
    strand s(run);
    run.thread("inside", [&] { s.enter_and_leave(); });
    run.thread("poster", [&] { s.post(0); });
    run.thread("visitor", [&] { s.run_visits(1); });
    run.join();
    model::check(s.found.get() == 1, "what was left is found once");
}

void one_leaves_ready_work(model::run& run) {
    strand s(run);
    run.thread("inside", [&] { s.enter_and_leave_ready_work(); });
    run.thread("poster", [&] { s.post(0); });
    run.thread("visitor", [&] { s.run_visits(1); });
    run.join();
    model::check(s.found.get() == 1, "what was left is found once");
}

void two_post(model::run& run) {
    strand s(run);
    run.thread("poster 1", [&] { s.post(0); });
    run.thread("poster 2", [&] { s.post(1); });
    run.thread("visitor", [&] { s.run_visits(2); });
    run.join();
    model::check(s.found.get() == 2, "what was left is found once");
}

// The thread inside looks once more, and goes although contexts are ready.
void one_looks_again_and_leaves_ready_work(model::run& run) {
    strand s(run);
    run.thread("inside", [&] {
        if (s.word.try_enter()) {
            s.take_in();
            s.word.look_again();
            s.take_in();
            s.leave_ready_work();
        }
    });
    run.thread("poster", [&] { s.post(0); });
    run.thread("visitor", [&] { s.run_visits(1); });
    run.join();
    model::check(s.found.get() == 1, "what was left is found once");
}

void two_enter(model::run& run) {
    strand s(run);
    run.thread("inside 1", [&] { s.enter_and_leave(); });
    run.thread("inside 2", [&] { s.enter_and_leave(); });
    run.join();
    model::check(s.found.get() == 0, "nothing was left");
}

// From before the first to behind the last, so that each hand-over of the strand is seen.
void two_count(model::run& run) {
    turn word;
    model::model_var<int> count{0};
    run.label(word, "word");
    run.label(count, "count");
    model::model_atomics::atomic<int> entered{0};
    run.label(entered, "entered");
    const auto count_once = [&] {
        if (word.try_enter()) {
            count = count.get() + 1;
            entered.fetch_add(1, std::memory_order_relaxed);
            model::check(word.try_leave(), "there is no news");
        }
    };
    run.thread("first", count_once);
    run.thread("second", count_once);
    run.join();
    model::check(count.get() == entered.load(std::memory_order_relaxed), "each count is kept");
}

// What is planted to see that the checker finds it.
enum class mistake { none, late_hold, early_end, lost_release };

// A strand in which messages' handlers leave work, with holds. A visit does the work, perhaps after
// another thread was inside. Quiescence may be found only after that.
struct counted_strand {
    holds work;
    counted_turn word{work};
    ds::mpsc_queue<item, &item::next, model::model_atomics> mailbox;
    std::array<item, 2> items;
    model::model_var<int> found{0};  // plain: only the thread inside may touch these two
    model::model_var<int> ready{0};
    model::model_atomics::atomic<int> visits{0};
    model::model_atomics::atomic<std::uint64_t> delivered{0};

    explicit counted_strand(model::run& run) {
        run.label(work, "work");
        run.label(word, "word");
        run.label(mailbox, "mailbox");
        run.label(found, "found");
        run.label(ready, "ready");
        run.label(visits, "visits");
        run.label(delivered, "delivered");
    }
    void take_in() {
        for (item* i = mailbox.take_all(); i != nullptr; i = i->next) {
            found = found.get() + 1;
        }
    }
    // What is ready runs before the thread leaves.
    void leave() {
        do {
            word.look_again();
            take_in();
            if (ready.get() != 0) {
                ready = 0;
            }
        } while (!word.try_leave());
    }
    void enter_and_leave() {
        if (word.try_enter()) {
            leave();
        }
    }
    void send_visit() {
        const int before = visits.fetch_add(1, std::memory_order_relaxed);
        model::check(before == 0, "no other visit is on its way");
    }
    void post(std::size_t i) {
        mailbox.push(&items[i]);
        if (word.announce()) {
            send_visit();
        }
    }
    // Enters, looks, makes a context ready, and leaves that to a visit.
    void leave_ready_work() {
        if (word.try_enter()) {
            take_in();
            ready = 1;
            if (word.leave_to_visit()) {
                send_visit();
            }
        }
    }
    template <mistake planted>
    void visit() {
        if (visits.load(std::memory_order_relaxed) == 0) {
            return;
        }
        visits.fetch_sub(1, std::memory_order_relaxed);
        if (planted == mistake::early_end) {
            work.release();
            work.hold();
        }
        if (word.try_enter_by_visit()) {
            leave();
        }
    }
    void deliver() {
        // pairs with: quiescence
        delivered.fetch_add(1, std::memory_order_release);
    }
    // As world::tally_now() does.
    void check_quiescence(std::uint64_t sent, int wanted) {
        std::uint64_t ended = work.released();
        ended += delivered.load(std::memory_order_acquire);  // pairs with: deliver()
        if (ended == sent + work.held()) {
            model::check(found.get() == wanted, "what was left has been found");
            model::check(ready.get() == 0, "what was ready has run");
        }
    }
    // After all threads have ended: the visit that is on its way comes, and quiescence is found.
    void check_end(int wanted) {
        visit<mistake::none>();
        model::check(found.get() == wanted, "what was left is found in the end");
        model::check(ready.get() == 0, "what was ready runs in the end");
        model::check(work.released() == work.held(), "nothing is held in the end");
    }
};

template <mistake planted>
void quiescence_waits_for_what_was_left(model::run& run) {
    counted_strand s(run);
    run.thread("handler", [&] {
        if (planted == mistake::late_hold) {
            s.deliver();
        }
        s.post(0);
        if (planted != mistake::late_hold) {
            s.deliver();
        }
    });
    run.thread("visitor", [&] { s.visit<planted>(); });
    run.thread("inside", [&] { s.enter_and_leave(); });
    run.thread("quiescence", [&] { s.check_quiescence(1, 1); });
    run.join();
    if (planted == mistake::lost_release) {
        s.work.hold();
    }
    s.check_end(1);
}

// The second handler sends no visit, because one is on its way or a thread is inside.
void quiescence_waits_for_an_earlier_visit(model::run& run) {
    counted_strand s(run);
    const auto handle = [&s](std::size_t i) {
        s.post(i);
        s.deliver();
    };
    run.thread("handler 1", [&] { handle(0); });
    run.thread("handler 2", [&] { handle(1); });
    run.thread("visitor", [&] { s.visit<mistake::none>(); });
    run.thread("quiescence", [&] { s.check_quiescence(2, 2); });
    run.join();
    s.check_end(2);
}

// The second handler enters and leaves a context that is ready to the first one's visit.
void quiescence_waits_for_what_is_ready(model::run& run) {
    counted_strand s(run);
    run.thread("handler 1", [&] {
        s.post(0);
        s.deliver();
    });
    run.thread("handler 2", [&] {
        s.leave_ready_work();
        s.deliver();
    });
    run.thread("visitor", [&] { s.visit<mistake::none>(); });
    run.thread("quiescence", [&] { s.check_quiescence(2, 1); });
    run.join();
    s.check_end(1);
}

const std::vector<model::scenario> scenarios = {
    {"one_posts_while_another_is_inside", one_posts_while_another_is_inside, 2},
    {"one_leaves_ready_work", one_leaves_ready_work, 1},
    {"one_looks_again_and_leaves_ready_work", one_looks_again_and_leaves_ready_work, 1},
    {"two_post", two_post, 2},
    {"two_enter", two_enter},
    {"two_count", two_count},
};
const std::vector<model::scenario> counted_scenarios = {
    {"quiescence_waits_for_what_was_left", quiescence_waits_for_what_was_left<mistake::none>, 2},
    {"quiescence_waits_for_an_earlier_visit", quiescence_waits_for_an_earlier_visit, 1},
    {"quiescence_waits_for_what_is_ready", quiescence_waits_for_what_is_ready, 1},
};

// Orders of the turn that are there for the holds alone.
const std::set<std::string> orders_for_holds{
    "announce(): compare_exchange acq_rel -> release",
    "announce_to_expected(): compare_exchange acq_rel -> release",
    "try_enter(): compare_exchange acq_rel -> acquire",
};

TEST(concert_turn_model, one_is_inside_and_nothing_is_left_behind) {
    model::expect_sound(scenarios);
}

TEST(concert_turn_model, counts_as_work_until_all_is_found) {
    model::expect_sound(counted_scenarios);
}

TEST(concert_turn_model, planted_mistakes_are_found) {
    model::options limits;
    limits.preemptions = 2;
    const auto fails = [&](auto body) { return model::explore(limits, body).failed; };
    EXPECT_TRUE(fails(quiescence_waits_for_what_was_left<mistake::late_hold>));
    EXPECT_TRUE(fails(quiescence_waits_for_what_was_left<mistake::early_end>));
    EXPECT_TRUE(fails(quiescence_waits_for_what_was_left<mistake::lost_release>));
}

TEST(concert_turn_model, needs_its_orders_for_holds) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    std::set<std::string> noticed;
    for (const model::weakening& mistake : model::possible_mistakes(counted_scenarios)) {
        if (orders_for_holds.contains(describe(mistake)) &&
            model::is_noticed(mistake, counted_scenarios)) {
            noticed.insert(describe(mistake));
        }
    }
    EXPECT_EQ(noticed, orders_for_holds);
}

TEST(concert_turn_model, needs_every_other_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    // The mailbox has orders of its own (mpsc_queue_test.cpp). The turn orders its elements, too.
    std::set<std::string> expected{"push(): compare_exchange release -> relaxed",
                                   "take_all(): exchange acquire -> relaxed"};
    expected.insert(orders_for_holds.begin(), orders_for_holds.end());
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), expected);
}

}  // namespace
}  // namespace lazult
