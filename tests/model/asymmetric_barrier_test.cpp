// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/asymmetric_barrier.hpp"

#include <gtest/gtest.h>

#include "tests/model/mutation.hpp"

namespace lazult {
namespace {

using model::model_atomics;
using word = model_atomics::atomic<std::uint32_t>;

constexpr std::memory_order relaxed = std::memory_order_relaxed;

// A kernel that begins to refuse its barrier at any moment.
struct kernel {
    static inline word* refuses = nullptr;

    static bool has_barrier() { return true; }
    static bool barrier() {
        if (refuses->load(relaxed) != 0) {
            return false;
        }
        model_atomics::heavy_barrier();
        return true;
    }
    static void reach_all() { model_atomics::heavy_barrier(); }
    static void wait() { model_atomics::pause(); }
};

// One that has none, as its first answer says.
struct old_kernel : kernel {
    static bool has_barrier() { return false; }
    static bool barrier() { return false; }
};

enum class answer { learnt, unknown };

template <class Kernel>
struct store_buffering {
    word refuses{0};
    word often{0};
    word rarely{0};
    ds::asymmetric_barrier<model_atomics, Kernel> between;

    explicit store_buffering(bool refuses_now = false, answer before = answer::learnt)
        : refuses(refuses_now ? 1U : 0U) {
        kernel::refuses = &refuses;
        if (before == answer::learnt) {
            model::check(between.is_free() == Kernel::has_barrier(), "the answer is learnt first");
        }
    }
};

// The light side's store and look, against those of each heavy side: one of the two sees the
// other's store.
template <class Kernel, bool Refuses, answer Before = answer::learnt>
void one_against_one(model::run& run) {
    store_buffering<Kernel> it(Refuses, Before);
    std::uint32_t light_saw = 0;
    std::uint32_t heavy_saw = 0;
    run.thread("light", [&] {
        it.often.store(1, relaxed);
        it.between.light();
        light_saw = it.rarely.load(relaxed);
    });
    run.thread("heavy", [&] {
        it.rarely.store(1, relaxed);
        it.between.heavy();
        heavy_saw = it.often.load(relaxed);
    });
    if (!Refuses && Kernel::has_barrier()) {
        run.thread("sandbox", [&] { it.refuses.store(1, relaxed); });
    }
    run.join();
    model::check(light_saw != 0 || heavy_saw != 0, "both missed the other's store");
}

// The second heavy side relies on what the first one did about the loss.
void one_against_two(model::run& run) {
    store_buffering<kernel> it(true);
    word second{0};
    std::uint32_t light_saw_second = 0;
    std::uint32_t heavy_saw = 0;
    run.thread("light", [&] {
        it.often.store(1, relaxed);
        it.between.light();
        light_saw_second = second.load(relaxed);
    });
    run.thread("first", [&] { it.between.heavy(); });
    run.thread("second", [&] {
        second.store(1, relaxed);
        it.between.heavy();
        heavy_saw = it.often.load(relaxed);
    });
    run.join();
    model::check(light_saw_second != 0 || heavy_saw != 0, "both missed the other's store");
}

// As a join word's claim, which takes no look at the state: before, while and after the barrier is
// lost.
void nothing_against_two(model::run& run) {
    store_buffering<kernel> it(true);
    std::uint32_t claimer_saw = 0;
    std::uint32_t revoker_saw = 0;
    run.thread("claimer", [&] {
        it.often.store(1, relaxed);
        it.between.nothing();
        claimer_saw = it.rarely.load(relaxed);
    });
    run.thread("sleeper", [&] { it.between.heavy(); });
    run.thread("revoker", [&] {
        it.rarely.store(1, relaxed);
        it.between.heavy_against_nothing();
        revoker_saw = it.often.load(relaxed);
    });
    run.join();
    model::check(claimer_saw != 0 || revoker_saw != 0, "both missed the other's store");
}

TEST(asymmetric_barrier_model, one_of_the_two_sees_the_other) {
    model::expect_sound(
        {{"refused_at_any_moment", one_against_one<kernel, false>, 2},
         {"refused_at_once", one_against_one<kernel, true>},
         {"never_there", one_against_one<old_kernel, false>},
         {"not_learnt", one_against_one<kernel, false, answer::unknown>, 2},
         {"not_learnt_and_never_there", one_against_one<old_kernel, false, answer::unknown>},
         {"one_against_two", one_against_two, 2},
         {"nothing_against_two", nothing_against_two, 2}});
}

void expect_failure(void (*body)(model::run&), const model::weakening& mistake) {
    model::options broken = model::limits_of({"", body, 2});
    broken.weaken = {mistake};
    EXPECT_TRUE(model::explore(broken, body).failed);
}

TEST(asymmetric_barrier_model, the_loser_reaches_all_others) {
    expect_failure(one_against_one<kernel, true>, {"reach_all", model::operation::heavy_barrier});
    expect_failure(one_against_two, {"reach_all", model::operation::heavy_barrier});
    expect_failure(nothing_against_two, {"reach_all", model::operation::heavy_barrier});
}

// Heavy sides of a kind that light sides would have to meet.
void only_heavy_for_all(model::run& run) {
    store_buffering<kernel> it(true);
    std::uint32_t claimer_saw = 0;
    std::uint32_t revoker_saw = 0;
    run.thread("claimer", [&] {
        it.often.store(1, relaxed);
        it.between.nothing();
        claimer_saw = it.rarely.load(relaxed);
    });
    run.thread("revoker", [&] {
        it.between.heavy();
        it.rarely.store(1, relaxed);
        it.between.heavy();
        revoker_saw = it.often.load(relaxed);
    });
    run.join();
    model::check(claimer_saw != 0 || revoker_saw != 0, "both missed the other's store");
}

TEST(asymmetric_barrier_model, a_claim_is_not_met_once_the_barrier_is_lost) {
    EXPECT_TRUE(
        model::explore(model::limits_of({"", only_heavy_for_all}), only_heavy_for_all).failed);
}

}  // namespace
}  // namespace lazult
