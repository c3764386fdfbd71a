// SPDX-License-Identifier: BSD-3-Clause
// What the checker reports, and how: races, deadlocks, livelocks, lifetimes, traces, replay,
// weakening.
#include "tests/model/model.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace lazult {
namespace {

template <class T>
using atomic = model::model_atomics::atomic<T>;
using model::model_atomics;
using model::model_var;

constexpr std::memory_order relaxed = std::memory_order_relaxed;
constexpr std::memory_order acquire = std::memory_order_acquire;
constexpr std::memory_order release = std::memory_order_release;

bool says(const model::result& found, const char* what) {
    return found.failure.find(what) != std::string::npos;
}

struct mailbox {
    void post() { full.store(1, release); }
    bool taken() { return full.load(acquire) == 1; }
    atomic<int> full{0};
};

void hand_over(model::run& run) {
    mailbox box;
    model_var<int> data{0};
    run.label(box, "box");
    run.label(data, "data");
    run.thread("giver", [&] {
        data = 7;
        box.post();
    });
    run.thread("taker", [&] {
        if (box.taken()) model::check(data == 7, "the data came along");
    });
    run.join();
}

TEST(engine, accepts_a_release_and_acquire_pair) {
    const model::result found = model::explore({}, hand_over);
    EXPECT_FALSE(found.failed) << found.describe();
    EXPECT_TRUE(found.complete);
    EXPECT_GT(found.executions, 2U);
}

TEST(engine, finds_the_race_behind_a_weakened_store) {
    model::options limits;
    limits.weaken = {{"post", model::operation::store, release, relaxed}};
    const model::result found = model::explore(limits, hand_over);
    EXPECT_TRUE(found.failed);
    EXPECT_TRUE(says(found, "data race on data")) << found.describe();
    EXPECT_EQ(found.weakened, 1U);
}

TEST(engine, finds_the_race_behind_a_weakened_load) {
    model::options limits;
    limits.weaken = {{"taken", model::operation::load, acquire, relaxed}};
    EXPECT_TRUE(model::explore(limits, hand_over).failed);
}

TEST(engine, replays_a_failure_from_its_path) {
    model::options limits;
    limits.weaken = {{"post", model::operation::store, release, relaxed}};
    const model::result found = model::explore(limits, hand_over);
    ASSERT_TRUE(found.failed);
    ASSERT_FALSE(found.path.empty());
    limits.replay = found.path;
    const model::result again = model::explore(limits, hand_over);
    EXPECT_TRUE(again.failed);
    EXPECT_EQ(again.executions, 1U);
    EXPECT_EQ(again.failure, found.failure);
    EXPECT_EQ(again.trace, found.trace);
}

TEST(engine, traces_threads_operations_names_values_and_orders) {
    model::options limits;
    limits.weaken = {{"post", model::operation::store, release, relaxed}};
    const model::result found = model::explore(limits, hand_over);
    for (const char* const part : {"giver", "taker", "store box: 1, relaxed",
                                   "load box: 1, acquire", "post()", "engine_test.cpp:"}) {
        EXPECT_NE(found.trace.find(part), std::string::npos) << part << "\n" << found.trace;
    }
}

TEST(engine, finds_a_race_without_any_atomics) {
    const model::result found = model::explore({}, [](model::run& run) {
        model_var<int> data{0};
        run.thread("a", [&] { data = 1; });
        run.thread("b", [&] { data = 2; });
        run.join();
    });
    EXPECT_TRUE(says(found, "data race")) << found.describe();
}

TEST(engine, join_orders_everything) {
    const model::result found = model::explore({}, [](model::run& run) {
        model_var<int> data{0};
        run.thread("a", [&] { data = 1; });
        run.join();
        run.thread("b", [&] { data = data + 1; });
        run.join();
        model::check(data == 2, "both ran");
    });
    EXPECT_FALSE(found.failed) << found.describe();
}

TEST(engine, finds_a_deadlock) {
    const model::result found = model::explore({}, [](model::run& run) {
        atomic<std::uint32_t> word{0};
        run.thread("sleeper", [&] { model_atomics::futex_wait(word, 0, -1); });
        run.thread("other", [&] { word.store(0, relaxed); });
        run.join();
    });
    EXPECT_TRUE(says(found, "sleeper sleeps")) << found.describe();
}

TEST(engine, finds_a_wake_up_before_the_store) {
    const auto body = [](bool store_first) {
        return [store_first](model::run& run) {
            atomic<std::uint32_t> word{0};
            run.thread("sleeper", [&] {
                while (word.load(acquire) == 0) model_atomics::futex_wait(word, 0, -1);
            });
            run.thread("waker", [&] {
                if (store_first) word.store(1, release);
                model_atomics::futex_wake(word, 1);
                if (!store_first) word.store(1, release);
            });
            run.join();
        };
    };
    EXPECT_TRUE(model::explore({}, body(false)).failed);
    const model::result right = model::explore({}, body(true));
    EXPECT_FALSE(right.failed) << right.describe();
}

TEST(engine, deadlines_pass_or_do_not) {
    bool in_time = false;
    bool late = false;
    const model::result found = model::explore({}, [&](model::run& run) {
        atomic<std::uint32_t> word{0};
        run.thread("sleeper",
                   [&] { (model_atomics::futex_wait(word, 0, 1) ? in_time : late) = true; });
        run.thread("waker", [&] {
            word.store(1, relaxed);
            model_atomics::futex_wake(word, 1);
        });
        run.join();
    });
    EXPECT_FALSE(found.failed) << found.describe();
    EXPECT_TRUE(in_time);
    EXPECT_TRUE(late);
}

TEST(engine, waits_in_a_spin_loop_that_pauses) {
    const model::result found = model::explore({}, [](model::run& run) {
        atomic<int> flag{0};
        model_var<int> data{0};
        for (const char* const name : {"one", "two"}) {
            run.thread(name, [&] {
                while (flag.load(acquire) == 0) model_atomics::pause();
                model::check(data == 1, "published");
            });
        }
        run.thread("giver", [&] {
            data = 1;
            flag.store(1, release);
        });
        run.join();
    });
    EXPECT_FALSE(found.failed) << found.describe();
    EXPECT_TRUE(found.complete);
}

TEST(engine, finds_a_livelock) {
    const model::result found = model::explore({}, [](model::run& run) {
        atomic<int> flag{0};
        run.thread("spinner", [&] {
            while (flag.load(acquire) == 0) model_atomics::pause();
        });
        run.join();
    });
    EXPECT_TRUE(says(found, "spins")) << found.describe();
}

TEST(engine, stops_a_loop_that_does_not_pause) {
    const model::result found = model::explore({}, [](model::run& run) {
        atomic<int> flag{0};
        run.thread("spinner", [&] {
            while (flag.load(acquire) == 0) {
            }
        });
        run.thread("giver", [&] { flag.store(1, release); });
        run.join();
    });
    EXPECT_TRUE(says(found, "livelock")) << found.describe();
}

TEST(engine, finds_a_use_after_destruction) {
    const model::result found = model::explore({}, [](model::run& run) {
        auto word = std::make_unique<atomic<int>>(0);
        atomic<int>* const raw = word.get();
        atomic<int> gone{0};
        run.thread("owner", [&] {
            gone.store(1, release);
            raw->~atomic();
        });
        run.thread("late", [&] { raw->store(1, relaxed); });
        run.join();
        (void)word.release();
        ::operator delete(raw);
    });
    EXPECT_TRUE(says(found, "destroyed")) << found.describe();
}

TEST(engine, finds_an_atomic_that_is_published_too_weakly) {
    const auto body = [](std::memory_order order) {
        return [order](model::run& run) {
            std::unique_ptr<atomic<int>> made;
            atomic<atomic<int>*> published{nullptr};
            run.thread("maker", [&] {
                made = std::make_unique<atomic<int>>(1);
                published.store(made.get(), order);
            });
            run.thread("user", [&] {
                if (atomic<int>* const found = published.load(acquire)) found->store(2, relaxed);
            });
            run.join();
        };
    };
    EXPECT_TRUE(says(model::explore({}, body(relaxed)), "creation"));
    EXPECT_FALSE(model::explore({}, body(release)).failed);
}

TEST(engine, reports_a_failed_check_after_the_join) {
    const model::result found = model::explore({}, [](model::run& run) {
        atomic<int> count{0};
        for (const char* const name : {"a", "b"}) {
            run.thread(name, [&] { count.store(count.load(relaxed) + 1, relaxed); });
        }
        run.join();
        model::check(count.load(relaxed) == 2, "nothing is lost");
    });
    EXPECT_TRUE(says(found, "nothing is lost")) << found.describe();
}

TEST(engine, a_mistake_may_need_a_preemption) {
    const auto body = [](model::run& run) {
        atomic<int> step{0};
        run.thread("a", [&] {
            step.store(1, relaxed);
            step.store(2, relaxed);
        });
        run.thread("b", [&] {
            if (step.load(relaxed) == 1) step.fetch_add(10, relaxed);
        });
        run.join();
        model::check(step.load(relaxed) != 11, "a goes last");
        model::check(step.load(relaxed) != 12, "b saw the store that was overwritten");
    };
    model::options none;
    none.preemptions = 0;
    // b may read the old store: staleness needs no preemption
    EXPECT_TRUE(model::explore(none, body).failed);
    EXPECT_TRUE(model::explore({}, body).failed);
}

TEST(engine, a_bounded_search_is_not_complete) {
    model::options limits;
    limits.executions = 2;
    const model::result found = model::explore(limits, hand_over);
    EXPECT_FALSE(found.failed);
    EXPECT_FALSE(found.complete);
    EXPECT_EQ(found.executions, 2U);
}

TEST(engine, notices_a_body_that_is_not_deterministic) {
    int calls = 0;
    const model::result found = model::explore({}, [&calls](model::run& run) {
        atomic<int> x{0};
        const int stores = 1 + ++calls % 3;
        run.thread("a", [&] {
            for (int each = 0; each < stores; ++each) x.store(each, relaxed);
        });
        run.thread("b", [&] {
            x.load(relaxed);
            x.load(relaxed);
        });
        run.join();
    });
    EXPECT_TRUE(says(found, "not deterministic")) << found.describe();
}

TEST(engine, exceptions_of_a_thread_are_failures) {
    const model::result found = model::explore({}, [](model::run& run) {
        run.thread("thrower", [] { throw std::runtime_error("oops"); });
        run.join();
    });
    EXPECT_TRUE(says(found, "oops")) << found.describe();
}

}  // namespace
}  // namespace lazult
