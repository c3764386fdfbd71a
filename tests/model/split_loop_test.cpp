// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::split_loop: every chunk is run once, and the thread that has the last chunk
// takes nothing after it. This also holds for one loop after another.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

namespace lazult {
namespace {

using loop = ds::split_loop<model::model_atomics>;
using parts = ds::split_parts<model::model_atomics>;
using loop_ends = ds::split_ends<model::model_atomics>;

std::uint32_t one(std::uint32_t) { return 1; }
std::uint32_t half(std::uint32_t left) { return (left + 1) / 2; }

struct team {
    std::uint32_t threads;
    std::uint32_t chunks;
    std::array<parts, 3> of;
    loop_ends of_all;
    std::array<std::array<std::optional<loop>, 3>, 2> views;
    bool all_come = true;
    bool is_shared = false;
    bool knows_who_left = false;
    model::model_atomics::atomic<std::uint32_t> arrived;
    std::array<std::array<int, 8>, 2> takers{};

    team(model::run& run, std::uint32_t size, std::uint32_t count) : threads(size), chunks(count) {
        run.label(of, "parts");
        run.label(of_all, "ends");
        run.label(arrived, "arrived");
    }
    // doors/openmp/src/teams/barrier.cpp
    void arrive() { arrived.fetch_add(1, std::memory_order_acq_rel); }
    // A thread that wants chunks of another one asks at once, and does not wait for the answer.
    struct around {
        static constexpr ds::split_patience patience{0, 0, 0};
        team& all;
        parts& parts_of(std::uint32_t i) { return all.of[i]; }
        loop_ends& ends() { return all.of_all; }
        bool all_come() const { return all.all_come; }
        // doors/openmp/src/loops/work_sharing.cpp, around_loop
        bool is_alone() const {
            return all.knows_who_left &&
                   all.arrived.load(std::memory_order_relaxed) + 1 == all.threads;
        }
        static void pause() {}
        static void wait() { model::model_atomics::pause(); }
    };
    // Where the thread has been there before, it goes on.
    loop& enter(std::uint64_t number, std::uint32_t me, std::size_t round) {
        std::optional<loop>& view = views[round][me];
        return view ? *view : view.emplace(number, chunks, threads, me, is_shared);
    }
    template <class SoMany>
    bool step(loop& entered, std::size_t round, std::uint32_t me, SoMany so_many) {
        around the_others{*this};
        const loop::piece got = entered.take(of[me], the_others, so_many);
        for (std::uint32_t i = got.begin; i < got.end; ++i) {
            ++takers[round][i];
        }
        return !got.empty();
    }
    template <class SoMany>
    void work(std::uint64_t number, std::uint32_t me, std::size_t round, SoMany so_many) {
        loop& entered = enter(number, me, round);
        bool had_last = entered.has_last();
        while (step(entered, round, me, so_many)) {
            model::check(!had_last, "nothing is taken after the last chunk");
            had_last = had_last || entered.has_last();
        }
    }
    template <class SoMany>
    void steps(std::uint64_t number, std::uint32_t me, std::size_t round, int most,
               SoMany so_many) {
        loop& entered = enter(number, me, round);
        for (int i = 0; i < most && step(entered, round, me, so_many); ++i) {
        }
    }
    void expect_each_once(std::size_t round) const {
        for (std::uint32_t i = 0; i < chunks; ++i) {
            model::check(takers[round][i] == 1, "each chunk is taken once");
        }
    }
};

// What the threads of a run have left.
void finish(team& all, std::uint64_t number, std::size_t round) {
    for (std::uint32_t me = 0; me < all.threads; ++me) {
        all.work(number, me, round, one);
    }
    all.expect_each_once(round);
}

void two_threads(model::run& run) {
    team all(run, 2, 3);
    run.thread("a", [&] { all.work(5, 0, 0, one); });
    run.thread("b", [&] { all.work(5, 1, 0, one); });
    run.join();
    all.expect_each_once(0);
}

void guided(model::run& run) {
    team all(run, 2, 5);
    run.thread("a", [&] { all.steps(0, 0, 0, 2, half); });
    run.thread("b", [&] { all.steps(0, 1, 0, 2, half); });
    run.join();
    finish(all, 0, 0);
}

void three_threads(model::run& run) {
    team all(run, 3, 4);
    run.thread("a", [&] { all.steps(0, 0, 0, 2, one); });
    run.thread("b", [&] { all.steps(0, 1, 0, 1, one); });
    run.thread("c", [&] { all.steps(0, 2, 0, 1, one); });
    run.join();
    finish(all, 0, 0);
}

// The third thread does not come, nor do the others leave anything to it.
void a_thread_that_does_not_come(model::run& run) {
    team all(run, 3, 4);
    all.all_come = false;
    run.thread("a", [&] { all.work(0, 0, 0, one); });
    run.thread("b", [&] { all.work(0, 1, 0, one); });
    run.join();
    all.expect_each_once(0);
}

void ranges_that_are_nobodys_own(model::run& run) {
    team all(run, 2, 4);
    all.is_shared = true;
    run.thread("a", [&] { all.work(0, 0, 0, one); });
    run.thread("b", [&] { all.work(0, 1, 0, one); });
    run.join();
    all.expect_each_once(0);
}

// No barrier between them: their words are others.
void one_loop_after_another(model::run& run) {
    team all(run, 2, 3);
    run.thread("a", [&] {
        all.work(0, 0, 0, one);
        all.steps(1, 0, 1, 2, one);
    });
    run.thread("b", [&] {
        all.steps(0, 1, 0, 1, one);
        all.steps(1, 1, 1, 1, one);
    });
    run.join();
    finish(all, 0, 0);
    finish(all, 1, 1);
}

// The words are used again, behind a barrier: here, the end of the threads.
void the_same_words_again(model::run& run) {
    team all(run, 2, 3);
    finish(all, 0, 0);
    run.thread("a", [&] { all.work(parts::slots, 0, 1, one); });
    run.thread("b", [&] { all.work(parts::slots, 1, 1, one); });
    run.join();
    all.expect_each_once(1);
}

// A thread that has left the loop arrives at the barrier behind it. The last thread in the loop
// knows that it is alone, and robs nobody.
void leave_one_by_one(model::run& run, std::uint32_t threads, std::uint32_t chunks) {
    team all(run, threads, chunks);
    all.knows_who_left = true;
    for (std::uint32_t me = 0; me < threads; ++me) {
        run.thread(std::string(1, static_cast<char>('a' + me)), [&all, me] {
            all.work(0, me, 0, one);
            all.arrive();
        });
    }
    run.join();
    all.expect_each_once(0);
}
void two_leave_one_by_one(model::run& run) { leave_one_by_one(run, 2, 4); }

// One thread leaves the loop before it has taken anything, as in a region that is cancelled. Then
// all_come() says no, and the thread that is alone looks at the other one's range all the same.
void one_left_early(model::run& run, bool all_come) {
    team all(run, 2, 4);
    all.knows_who_left = true;
    all.all_come = all_come;
    run.thread("a", [&] { all.work(0, 0, 0, one); });
    run.thread("b", [&] { all.arrive(); });
    run.join();
    all.expect_each_once(0);
}
void one_left_early_and_that_is_known(model::run& run) { one_left_early(run, false); }

// Its orders are all relaxed: there are none to weaken.
TEST(split_loop_model, loses_and_doubles_nothing) {
    model::expect_sound({{"two_threads", two_threads},
                         {"guided", guided},
                         {"three_threads", three_threads, 2},
                         {"a_thread_that_does_not_come", a_thread_that_does_not_come, 1},
                         {"ranges_that_are_nobodys_own", ranges_that_are_nobodys_own, 1},
                         {"one_loop_after_another", one_loop_after_another, 2},
                         {"the_same_words_again", the_same_words_again, 2},
                         {"two_leave_one_by_one", two_leave_one_by_one, 2},
                         {"one_left_early_and_that_is_known", one_left_early_and_that_is_known}});
}

// If all threads come, one that arrives must have worked before. Otherwise the last thread in the
// loop loses what is in the others' ranges.
TEST(split_loop_model, a_thread_that_arrives_and_has_not_left_loses_its_chunks) {
    const auto body = [](model::run& run) { one_left_early(run, true); };
    const model::result found = model::explore(model::limits_of({"", body}), body);
    EXPECT_TRUE(found.failed);
    EXPECT_NE(found.failure.find("each chunk is taken once"), std::string::npos) << found.failure;
}

// The hint is for speed alone: one that is right too late, or of some others only, costs looks.
TEST(split_loop_model, a_thread_that_arrives_before_its_last_chunk_is_taken_loses_nothing) {
    const auto body = [](model::run& run) {
        team all(run, 2, 4);
        all.knows_who_left = true;
        run.thread("a", [&] { all.work(0, 0, 0, one); });
        run.thread("b", [&] {
            all.arrive();
            all.work(0, 1, 0, one);
        });
        run.join();
        all.expect_each_once(0);
    };
    const model::result found = model::explore(model::limits_of({"", body}), body);
    EXPECT_FALSE(found.failed) << found.describe();
}

}  // namespace
}  // namespace lazult
