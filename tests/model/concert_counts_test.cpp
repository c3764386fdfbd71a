// SPDX-License-Identifier: BSD-3-Clause
// Model runs of what the Concert door counts for quiescence: held work, and the sums over the ranks
// of a node.
#include "doors/concert/src/support/hold_count.hpp"
#include "doors/concert/src/world/node_sum.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using holds = concert::hold_count<model::model_atomics>;
using sums = concert::node_sum<model::model_atomics>;

// Each releases what it holds itself, and finds its own hold whatever the other does meanwhile. One
// release more is refused.
void two_hold_and_release(model::run& run) {
    holds all;
    run.label(all, "holds");
    for (const char* name : {"first", "second"}) {
        run.thread(name, [&] {
            all.hold();
            model::check(all.release(), "what is held is released");
        });
    }
    run.join();
    model::check(!all.release(), "nothing is left to release");
    model::check(all.held() == 2 && all.released() == 2, "each was counted once");
}

// One is held; of two releases one is refused.
void two_release_one(model::run& run) {
    holds all;
    run.label(all, "holds");
    all.hold();
    std::array<bool, 2> done{};
    run.thread("first", [&] { done[0] = all.release(); });
    run.thread("second", [&] { done[1] = all.release(); });
    run.join();
    model::check(done[0] != done[1], "one release is one too many");
}

// A thread that finds that all is released finds what the held work wrote.
void work_is_seen_by_its_release(model::run& run) {
    holds all;
    model::model_var<int> written;
    run.label(all, "holds");
    all.hold();
    run.thread("worker", [&] {
        written = 1;
        all.release();
    });
    run.thread("quiescence", [&] {
        const std::uint64_t released = all.released();
        if (released == all.held()) {
            model::check(written.get() == 1, "the work is done");
        }
    });
    run.join();
}

// The other's release is found, so its hold must be: or this one's own would seem to be released.
void a_release_brings_its_hold(model::run& run) {
    holds all;
    run.label(all, "holds");
    all.hold();  // the second thread's
    run.thread("first", [&] {
        all.hold();
        all.release();
    });
    run.thread("second", [&] { model::check(all.release(), "its own hold is there"); });
    run.join();
}

struct ranks {
    static constexpr unsigned many = 2;
    std::array<sums::cells, many> memory;
    std::array<model::model_var<int>, many> before;  // written before its rank's wave

    explicit ranks(model::run& run) { run.label(memory, "memory"); }
    void add_up(unsigned self, std::uint64_t waves) {
        sums mine({&memory[0], &memory[1]}, self);
        for (std::uint64_t wave = 1; wave <= waves; ++wave) {
            if (wave == 1) {
                before[self] = 1;
            }
            mine.begin({wave * 10 + self, self});
            while (!mine.has_ended()) {
                model::model_atomics::pause();
            }
            model::check(mine.sum()[0] == wave * 20 + 1, "the sum is of this wave");
            model::check(before[1 - self].get() == 1, "a wave ends when it has begun everywhere");
        }
    }
};

void two_ranks_add_up(model::run& run) {
    ranks all(run);
    run.thread("rank 0", [&] { all.add_up(0, 2); });
    run.thread("rank 1", [&] { all.add_up(1, 2); });
    run.join();
}

// The third wave is written where the first one was.
void cells_are_used_again(model::run& run) {
    ranks all(run);
    run.thread("rank 0", [&] { all.add_up(0, 3); });
    run.thread("rank 1", [&] { all.add_up(1, 3); });
    run.join();
}

const std::vector<model::scenario> scenarios = {
    {"two_hold_and_release", two_hold_and_release},
    {"two_release_one", two_release_one},
    {"work_is_seen_by_its_release", work_is_seen_by_its_release},
    {"a_release_brings_its_hold", a_release_brings_its_hold},
    {"two_ranks_add_up", two_ranks_add_up, 2},
    {"cells_are_used_again", cells_are_used_again, 1},
};

TEST(concert_counts_model, sums_and_holds_are_right) { model::expect_sound(scenarios); }

TEST(concert_counts_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
