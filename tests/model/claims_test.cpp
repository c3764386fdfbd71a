// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core/unit/claims.hpp: claims of many units are forbidden with one barrier, and a
// unit has a second life. For the runs of a single unit see join_word_test.cpp.
#include "lazult/core/core.hpp"
#include "tests/model/biased_unit.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace lazult {
namespace {

using word = core::join_word<model::model_atomics>;
using unit = model::biased_unit<word>;

// core/life/join.cpp, join_many(): one barrier for all. Their stream claims both, or claims one and
// starts the other; or each has a stream of its own.
struct two_units {
    unit first;
    unit second;

    explicit two_units(model::run& run) : first(run), second(run) {}

    void join_both() {
        std::array<unit*, 2> all{&first, &second};
        core::revoke_claims(all.data(), all.size(),
                            [](const unit& u) { return u.join.is_biased(); });
        for (unit* each : all) {
            each->wait_elsewhere();
        }
    }
    void expect_ended() const {
        model::check(first.join.is_finished() && second.join.is_finished(), "they are finished");
    }
};

void many_on_one_stream(model::run& run) {
    two_units shared(run);
    run.thread("their stream", [&] {
        shared.second.run_in_place();
        shared.first.start_as_usual();
    });
    run.thread("joiner", [&] { shared.join_both(); });
    run.join();
    shared.expect_ended();
}

void many_claimed(model::run& run) {
    two_units shared(run);
    run.thread("their stream", [&] {
        shared.second.run_in_place();
        shared.first.run_in_place();
    });
    run.thread("joiner", [&] { shared.join_both(); });
    run.join();
    shared.expect_ended();
}

// One of them may be past claims at the first look, so that its bias stays.
void many_on_two_streams(model::run& run) {
    two_units shared(run);
    run.thread("one stream", [&] { shared.first.start_as_usual(); });
    run.thread("another", [&] { shared.second.run_in_place(); });
    run.thread("joiner", [&] { shared.join_both(); });
    run.join();
    shared.expect_ended();
}

// Each of the two sends a barrier for what the other one has begun to revoke.
void many_revoked_by_two(model::run& run) {
    two_units shared(run);
    run.thread("their stream", [&] {
        shared.first.run_in_place();
        shared.second.run_in_place();
    });
    run.thread("somebody", [&] { shared.second.forbid_claims(); });
    run.thread("joiner", [&] { shared.join_both(); });
    run.join();
    shared.expect_ended();
}

// core/life/create.cpp, renew(): the marks of the last life must not be taken for those of the next
// one. So the handle is handed over.
template <bool IsHandedOver>
void claimed_in_its_second_life(model::run& run) {
    unit shared(run);
    model::model_atomics::atomic<int> handed_over;
    shared.set_started(model::marked(core::life_state::finished, core::start_mode::full));
    shared.join.reset(word::finished);
    run.thread("its stream", [&] {
        shared.set_started(model::marked(core::life_state::ready, core::start_mode::full));
        shared.join.reset(word::biased);
        handed_over.store(1, std::memory_order_release);
        shared.run_in_place();
    });
    run.thread("joiner", [&] {
        while (IsHandedOver && handed_over.load(std::memory_order_acquire) == 0) {
            model::model_atomics::pause();
        }
        if (!IsHandedOver && !shared.join.is_biased()) {
            return;  // not yet, or too late
        }
        shared.join_elsewhere();
    });
    run.join();
    model::check(shared.join.is_finished(), "it is finished");
}

// core/life/join.cpp, wait_in_own_code(): a scheduler lets go of its private pool, and then it
// registers as the unit's joiner. Meanwhile the stream that takes the pool over opens the unit and
// runs it (sched/private_fifo.cpp, pop_other()).
template <bool IsOpenedBefore>
void waited_for_where_it_is_let_go_of(model::run& run) {
    model::ending<word> shared(run);
    model::model_atomics::atomic<int> owner{1};
    shared.join.reset(word::local);
    run.thread("scheduler", [&] {
        if (IsOpenedBefore) {
            shared.join.open();
        }
        owner.store(0, std::memory_order_release);
        shared.ult.context = 1;
        word::value found;
        if (shared.join.is_local()) {
            shared.join.expect(shared.ults_address());
        } else if (!shared.join.try_wait(shared.ults_address(), &found)) {
            shared.continue_joiner();
        }
    });
    run.thread("another", [&] {
        while (owner.load(std::memory_order_acquire) != 0) {
            model::model_atomics::pause();
        }
        shared.join.open();
        shared.finish();
    });
    run.join();
    model::check(shared.ult.resumed == 1, "the scheduler goes on");
    shared.expect_freed_once();
}

TEST(claims_model, a_unit_is_opened_before_its_pool_is_let_go_of) {
    model::expect_sound(
        {{"waited_for_where_it_is_let_go_of", waited_for_where_it_is_let_go_of<true>}});
    const auto local = waited_for_where_it_is_let_go_of<false>;
    EXPECT_TRUE(model::explore(model::limits_of({"", local}), local).failed);
}

TEST(claims_model, many_revoked_with_one_barrier) {
    model::expect_sound({{"many_claimed", many_claimed, 2},
                         {"many_on_one_stream", many_on_one_stream, 2},
                         {"many_on_two_streams", many_on_two_streams, 2},
                         {"many_revoked_by_two", many_revoked_by_two, 1}});
}

TEST(claims_model, second_life) {
    model::expect_sound({{"claimed_in_its_second_life", claimed_in_its_second_life<true>}});
}

TEST(claims_model, the_barrier_is_for_all_of_many) {
    model::options broken = model::limits_of({"", many_claimed, 2});
    broken.weaken = {{"heavy_barrier", model::operation::heavy_barrier}};
    EXPECT_TRUE(model::explore(broken, many_claimed).failed);
}

// It does not suffice that renew() sets the marks before the word: a thread that has seen only the
// bias may still see the marks of the last life.
TEST(claims_model, a_second_life_that_is_not_handed_over_loses_the_joiner) {
    const auto body = claimed_in_its_second_life<false>;
    EXPECT_TRUE(model::explore(model::limits_of({"", body}), body).failed);
}

}  // namespace
}  // namespace lazult
