// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core::join_word: the end of a unit against its joiner, a joiner that gives up and a
// detach. A joiner that waits is woken once and sees the results. One of the two sides frees the
// unit, and the finisher does not touch it any more.
#include "lazult/core/core.hpp"
#include "tests/model/biased_unit.hpp"
#include "tests/model/mutation.hpp"
#include "tests/model/unit_end.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lazult {
namespace {

// One function's compare_exchange fails without acquiring: the sweep knows the orders of success
// only.
struct forgetful_atomics : model::model_atomics {
    static inline std::string_view forgets;

    template <class T>
    class atomic : public model::model_atomics::atomic<T> {
    public:
        using whole = model::model_atomics::atomic<T>;
        using whole::whole;

        bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                     std::memory_order failure,
                                     model::site where = model::site::here()) {
            return whole::compare_exchange_strong(
                expected, desired, success,
                where.function == forgets ? std::memory_order_relaxed : failure, where);
        }
    };
};

using shipped = core::join_word<forgetful_atomics>;
using value = shipped::value;

using model::as_usual;
using model::biased_unit;
using model::ending;
using model::in_place;
using model::record;

constexpr std::int64_t soon = 1;

// The unit ends on one thread while another one does something about it.
template <class Word, class Other>
void against_the_end(model::run& run, const char* name, Other other) {
    ending<Word> shared(run);
    run.thread("finisher", [&] { shared.finish(); });
    run.thread(name, [&] { other(shared); });
    run.join();
    shared.expect_freed_once();
    model::check(shared.join.is_finished(), "it is finished");
}

template <class Word>
void joining_unit(model::run& run) {
    against_the_end<Word>(run, "joiner", [](auto& shared) { shared.join_as_unit(); });
}

template <class Word>
void joining_thread(model::run& run) {
    against_the_end<Word>(run, "joiner", [](auto& shared) { shared.join_as_thread(-1); });
}

template <class Word>
void detacher(model::run& run) {
    against_the_end<Word>(run, "detacher", [](auto& shared) { shared.detach(); });
}

// sync/wait_any.cpp, poll_unit()
template <class Word>
void poller(model::run& run) {
    against_the_end<Word>(run, "poller", [](auto& shared) {
        while (!shared.join.is_finished()) {
            model::model_atomics::pause();
        }
        shared.free();
    });
}

// The word goes from a record back to live and on, so the finisher may have looked at any of them.
template <class Word>
void gives_up_and_joins(model::run& run) {
    against_the_end<Word>(run, "joiner", [](auto& shared) {
        if (!shared.join_as_thread(soon)) {
            shared.join_as_unit();
        }
    });
}

template <class Word>
void gives_up_and_detaches(model::run& run) {
    against_the_end<Word>(run, "joiner", [](auto& shared) {
        if (!shared.join_as_thread(soon)) {
            shared.detach();
        }
    });
}

template <class Word>
void gives_up_twice(model::run& run) {
    against_the_end<Word>(run, "joiner", [](auto& shared) {
        if (!shared.join_as_thread(soon) && !shared.join_as_thread(soon)) {
            shared.join_as_thread(-1);
        }
    });
}

// Two joiners are against the rules, but neither may sleep for ever: if one of them waits, the
// other one's try_wait() fails and says so.
template <class Word>
void two_joiners(model::run& run) {
    ending<Word> shared(run);
    int woken = 0;
    int refused = 0;
    const auto join = [&] {
        record& me = shared.next_record();
        value found;
        if (shared.join.try_wait(me.as_waiter(), &found)) {
            me.sleep(-1);
            ++woken;
        } else {
            model::check(found == Word::finished || found > Word::detached, "it is told why");
            ++refused;
        }
    };
    run.thread("finisher", [&] { shared.finish(); });
    run.thread("joiner", join);
    run.thread("joiner 2", join);
    run.join();
    model::check(woken <= 1 && woken + refused == 2, "one waits at most");
}

// core/life/in_place.cpp, switch_to_child(): the joiner took the unit from its pool and starts it.
// It suspends, and ends on another stream.
template <class Word>
void expected_and_ends_elsewhere(model::run& run) {
    ending<Word> shared(run);
    model::model_atomics::atomic<int> handed_over;
    run.thread("joiner", [&] {
        shared.ult.context = 1;
        shared.join.expect(shared.ults_address());
        handed_over.store(1, std::memory_order_release);
    });
    run.thread("finisher", [&] {
        while (handed_over.load(std::memory_order_acquire) == 0) {
            model::model_atomics::pause();
        }
        shared.finish();
    });
    run.join();
    model::check(shared.ult.resumed == 1, "the joiner goes on");
    shared.expect_freed_once();
}

// core/life/in_place.hpp, call_here() and back_in_joiner(): somebody may look whether it is
// finished, and at the results.
template <class Word>
void ends_in_place(model::run& run) {
    ending<Word> shared(run);
    run.thread("joiner", [&] {
        shared.join.expect(shared.ults_address());
        shared.result = 7;
        shared.join.finish_in_place();
    });
    run.thread("onlooker", [&] {
        if (shared.join.is_finished()) {
            model::check(shared.result == 7, "a finished unit's results are there");
        }
    });
    run.join();
}

// A unit of a private pool, and a joiner on another thread. core/switch/finish.hpp, complete(),
// core/life/join.cpp, send_opener(): the opener runs on the unit's thread, before its end or after
// it.
struct confinement {
    model::model_atomics::atomic<std::uint32_t> asked;
    model::model_atomics::atomic<std::uint32_t> opened;

    // Whether the opener has come and run.
    template <class Word>
    bool open(Word& join) {
        if (asked.load(std::memory_order_relaxed) == 0) {
            return false;
        }
        join.open();
        opened.store(1, std::memory_order_release);
        return true;
    }
    void ask_and_wait() {
        asked.store(1, std::memory_order_relaxed);
        while (opened.load(std::memory_order_acquire) == 0) {
            model::model_atomics::pause();
        }
    }
};

template <class Word>
void end_at_home(ending<Word>& shared) {
    if (!shared.join.is_local()) {
        shared.finish();
        return;
    }
    shared.result = shared.result + 7;
    shared.descriptor = 1;
    shared.join.finish_in_place();
}

template <class Word, bool Asks>
void confined(model::run& run) {
    ending<Word> shared(run);
    confinement at;
    shared.join.reset(Word::local);
    run.thread("its stream", [&] {
        const bool early = at.open(shared.join);
        end_at_home(shared);
        while (Asks && !early && !at.open(shared.join)) {
            model::model_atomics::pause();
        }
    });
    run.thread("joiner", [&] {
        if (Asks) {
            at.ask_and_wait();
        } else {
            shared.join.open();
        }
        shared.join_as_thread(-1);
    });
    run.join();
    shared.expect_freed_once();
}

// A thread looks whether the unit is finished, while a ULT waits. finish() replaces the address of
// that ULT by a store.
template <class Word>
void onlooker(model::run& run) {
    ending<Word> shared(run);
    shared.join_as_unit();
    run.thread("finisher", [&] { shared.finish(); });
    run.thread("onlooker", [&] {
        if (shared.join.is_finished()) {
            model::check(shared.result == 7, "a finished unit's results are there");
        }
    });
    run.join();
    shared.expect_freed_once();
}

// core/life/create.cpp, revive(): a waiter of the first life must not be taken for one of the
// second.
template <class Word>
void second_life(model::run& run) {
    ending<Word> shared(run);
    model::model_atomics::atomic<std::uint32_t> handed_over;
    run.thread("finisher", [&] {
        shared.finish();
        while (handed_over.load(std::memory_order_acquire) == 0) {
            model::model_atomics::futex_wait(handed_over, 0, -1);
        }
        shared.finish();
    });
    run.thread("owner", [&] {
        shared.join_as_thread(-1);
        shared.result = 0;
        shared.frees = 0;
        shared.join.reset();
        handed_over.store(1, std::memory_order_release);
        model::model_atomics::futex_wake(handed_over, 1);
        shared.join_as_unit();
    });
    run.join();
    shared.expect_freed_once();
}

// Units in the lane of a thread of their own: see biased_unit.hpp, claims_test.cpp.

template <class Word>
void claimed_against_joiner(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("its stream", [&] { shared.run_in_place(); });
    run.thread("joiner", [&] { shared.join_elsewhere(); });
    run.join();
    model::check(shared.join.is_finished(), "it is finished");
}

// Both revoke. The first one of them gives up then.
template <class Word>
void claimed_against_two(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("its stream", [&] {
        if (shared.claim()) {
            shared.join.finish_in_place();
        } else {
            shared.start_as_usual();
        }
    });
    run.thread("joiner", [&] { shared.forbid_claims(); });
    run.thread("joiner 2", [&] { shared.join_elsewhere(); });
    run.join();
}

template <class Word>
void claimed_for_a_switch(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("its stream", [&] { shared.switch_to_it(); });
    run.thread("joiner", [&] { shared.join_elsewhere(); });
    run.join();
}

template <class Word>
void biased_and_started_as_usual(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("its stream", [&] { shared.start_as_usual(); });
    run.thread("joiner", [&] {
        shared.forbid_claims();
        shared.join_as_thread(-1);
    });
    run.join();
    shared.expect_freed_once();
}

// core/life/join.cpp, detach(): the claim fails, or the detach is refused.
template <class Word>
void claimed_against_detach(model::run& run) {
    biased_unit<Word> shared(run);
    bool detached = false;
    bool claimed = false;
    run.thread("its stream", [&] { claimed = shared.claim(); });
    run.thread("detacher", [&] {
        shared.forbid_claims();
        value found;
        detached = shared.join.try_detach(&found);
    });
    run.join();
    model::check(claimed != detached, "one of the two has it");
}

// sched/stealing_pool.cpp, rehome(): a thief has taken the unit, and the thief's thread claims it
// in the unit's new pool. A joiner on that thread needs no revocation.
template <class Word>
void stolen_while_revoked(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("thief", [&] {
        shared.join.open();
        shared.run_in_place();
    });
    run.thread("joiner", [&] { shared.join_elsewhere(); });
    run.join();
}

// core/life/in_place.cpp, start_called(): no stack for it, so the claim is taken back and the unit
// is put among the others.
template <class Word>
void claimed_and_given_back(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("its stream", [&] {
        if (shared.claim()) {
            shared.join.withdraw(shared.ults_address());
            shared.set_ready_at_first();
        }
        shared.start_as_usual();
    });
    run.thread("joiner", [&] { shared.join_elsewhere(); });
    run.join();
    model::check(shared.join.is_finished(), "it is finished");
}

// core/life/in_place.cpp, start_in_place(), of a unit out of any pool: no mark before.
template <class Word>
void expected_by_exchange(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("its stream", [&] {
        if (!shared.join.try_expect(shared.ults_address())) {
            shared.start_as_usual();
            return;
        }
        shared.set_started(in_place);
        shared.result = 7;
        shared.join.finish_in_place();
    });
    run.thread("joiner", [&] { shared.join_elsewhere(); });
    run.join();
    model::check(shared.join.is_finished(), "it is finished");
}

// As claimed_against_detach, of a unit out of any pool.
template <class Word>
void expected_against_detach(model::run& run) {
    ending<Word> shared(run);
    bool detached = false;
    bool expected = false;
    run.thread("its stream", [&] { expected = shared.join.try_expect(shared.ults_address()); });
    run.thread("detacher", [&] {
        value found;
        detached = shared.join.try_detach(&found);
    });
    run.join();
    model::check(expected != detached, "one of the two has it");
}

// core/life/create.cpp, push_known_first(): a list has it before the pool, and so its joiner knows
// it.
template <class Word>
void known_before_its_push(model::run& run) {
    biased_unit<Word> shared(run);
    run.thread("creator", [&] {
        shared.join.open();
        shared.start_as_usual();
    });
    run.thread("joiner", [&] { shared.join_elsewhere(); });
    run.join();
}

template <class Word>
const std::vector<model::scenario> scenarios = {
    {"joining_unit", joining_unit<Word>},
    {"joining_thread", joining_thread<Word>},
    {"detacher", detacher<Word>},
    {"poller", poller<Word>},
    {"gives_up_and_joins", gives_up_and_joins<Word>},
    {"gives_up_and_detaches", gives_up_and_detaches<Word>},
    {"gives_up_twice", gives_up_twice<Word>},
    {"two_joiners", two_joiners<Word>},
    {"expected_and_ends_elsewhere", expected_and_ends_elsewhere<Word>},
    {"ends_in_place", ends_in_place<Word>},
    {"onlooker", onlooker<Word>},
    {"second_life", second_life<Word>},
    {"confined", confined<Word, true>},
    {"claimed_against_joiner", claimed_against_joiner<Word>},
    {"claimed_for_a_switch", claimed_for_a_switch<Word>},
    {"biased_and_started_as_usual", biased_and_started_as_usual<Word>},
    {"claimed_against_detach", claimed_against_detach<Word>},
    {"stolen_while_revoked", stolen_while_revoked<Word>},
    {"claimed_and_given_back", claimed_and_given_back<Word>},
    {"expected_by_exchange", expected_by_exchange<Word>},
    {"expected_against_detach", expected_against_detach<Word>},
    {"known_before_its_push", known_before_its_push<Word>},
};

TEST(join_word_model, frees_once_and_loses_no_wake_up) { model::expect_sound(scenarios<shipped>); }

// Too large for a sweep.
TEST(join_word_model, revoked_by_two) {
    model::expect_sound({{"claimed_against_two", claimed_against_two<shipped>, 2}});
}

// That the marks are released and acquired orders the plain store of a claim before what their
// readers write to the word; the checker, for which stores are ordered as they ran, does not see
// the need.
bool is_of_the_word(const std::string& name) {
    return !name.starts_with("store_mark()") && !name.starts_with("load_mark()");
}

// A replacement that succeeds read `live`, behind which there is nothing to acquire: the unit's own
// owner wrote it. And a joiner that withdraws has nothing to release: the finisher does not look at
// a record that it did not find.
TEST(join_word_model, needs_every_other_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    std::set<std::string> unnoticed = model::unnoticed_mistakes(scenarios<shipped>);
    std::erase_if(unnoticed, [](const std::string& name) { return !is_of_the_word(name); });
    EXPECT_EQ(unnoticed,
              (std::set<std::string>{"replace_unwaited(): compare_exchange acq_rel -> release",
                                     "withdraw(): compare_exchange acq_rel -> acquire",
                                     "withdraw(): compare_exchange acq_rel -> release"}));
}

bool any_fails(const std::vector<model::scenario>& all) {
    for (const model::scenario& each : all) {
        if (model::explore(model::limits_of(each), each.body).failed) {
            return true;
        }
    }
    return false;
}

// A joiner that comes too late learns by the failure that the unit is finished, and reads its
// results. A joiner that withdraws too late waits for its record instead, and need not acquire.
TEST(join_word_model, a_refused_joiner_must_acquire) {
    forgetful_atomics::forgets = "replace_unwaited";
    EXPECT_TRUE(any_fails(scenarios<shipped>));
    forgetful_atomics::forgets = "withdraw";
    EXPECT_FALSE(any_fails(scenarios<shipped>));
    forgetful_atomics::forgets = {};
}

// The unit's own thread ends it without looking twice: nobody else may open the word.
TEST(join_word_model, a_word_opened_by_another_thread_loses_the_joiner) {
    EXPECT_FALSE(
        model::explore(model::limits_of({"", confined<shipped, true>}), confined<shipped, true>)
            .failed);
    EXPECT_TRUE(
        model::explore(model::limits_of({"", confined<shipped, false>}), confined<shipped, false>)
            .failed);
}

// What was so until the bias came: a look, and then a plain store.
TEST(join_word_model, a_claim_that_nobody_revokes_loses_the_joiner) {
    const auto body = [](model::run& run) {
        biased_unit<shipped> shared(run);
        run.thread("its stream", [&] { shared.run_in_place(); });
        run.thread("joiner", [&] { shared.wait_elsewhere(); });
        run.join();
    };
    EXPECT_TRUE(model::explore(model::limits_of({"", body}), body).failed);
}

// A second joiner that finds the bias revoked must not wait before the first one's barrier is over.
// So it sends a barrier, too.
TEST(join_word_model, a_second_joiner_that_does_not_revoke_is_lost) {
    const auto body = [](model::run& run) {
        biased_unit<shipped> shared(run);
        run.thread("its stream", [&] { shared.run_in_place(); });
        run.thread("joiner", [&] { shared.forbid_claims(); });
        run.thread("joiner 2", [&] {
            record& me = shared.next_record();
            value found;
            while (shared.join.peek() == shipped::biased) {
                model::model_atomics::pause();
            }
            if (shared.join.try_wait(me.as_waiter(), &found)) {
                me.sleep(-1);
            }
        });
        run.join();
    };
    EXPECT_TRUE(model::explore(model::limits_of({"", body, 2}), body).failed);
}

// An earlier version did this: a look and a plain store by a creator that had listed the unit
// already.
TEST(join_word_model, a_bias_that_is_reset_behind_a_list_loses_the_joiner) {
    const auto body = [](model::run& run) {
        biased_unit<shipped> shared(run);
        run.thread("creator", [&] {
            shared.join.reset_bias();
            shared.start_as_usual();
        });
        run.thread("joiner", [&] { shared.join_elsewhere(); });
        run.join();
    };
    EXPECT_TRUE(model::explore(model::limits_of({"", body}), body).failed);
}

// core/switch/host_loop.cpp, execute() and put_off(): a unit that is marked before it has its
// stack, and made ready again, may be claimed.
TEST(join_word_model, a_start_that_is_taken_back_loses_the_joiner) {
    const auto body = [](model::run& run) {
        biased_unit<shipped> shared(run);
        run.thread("its stream", [&] {
            shared.set_started(as_usual);
            shared.set_ready_at_first();
            shared.run_in_place();
        });
        run.thread("joiner", [&] { shared.join_elsewhere(); });
        run.join();
    };
    EXPECT_TRUE(model::explore(model::limits_of({"", body}), body).failed);
}

TEST(join_word_model, a_mark_that_comes_after_the_claim_loses_the_joiner) {
    const auto body = [](model::run& run) {
        biased_unit<shipped> shared(run);
        run.thread("its stream", [&] {
            shared.join.claim(shared.ults_address());
            shared.set_started(in_place);
            shared.join.finish_in_place();
        });
        run.thread("joiner", [&] { shared.join_elsewhere(); });
        run.join();
    };
    EXPECT_TRUE(model::explore(model::limits_of({"", body}), body).failed);
}

// The same word with one mistake in finish().
enum class mistake { none, stores_over_what_it_saw, stores_over_records };

template <mistake Made>
class wrong_word {
public:
    using value = shipped::value;
    static constexpr value live = shipped::live;
    static constexpr value finished = shipped::finished;
    static constexpr value detached = shipped::detached;
    static constexpr value record_tag = shipped::record_tag;
    static constexpr bool is_unit(value word) { return shipped::is_unit(word); }
    static constexpr bool is_unwaited(value word) { return shipped::is_unwaited(word); }

    bool is_finished() const { return word_.load(std::memory_order_acquire) == finished; }
    bool try_wait(value waiter, value* found) { return swap(*found = live, waiter, found); }
    bool try_detach(value* found) { return swap(*found = live, detached, found); }
    bool withdraw(value waiter) {
        value found;
        return swap(waiter, live, &found);
    }
    value finish() {
        const value before = word_.load(std::memory_order_acquire);
        if (may_store(before)) {
            word_.store(finished, std::memory_order_release);
            return before;
        }
        return word_.exchange(finished, std::memory_order_acq_rel);
    }

private:
    static bool may_store(value before) {
        switch (Made) {
            case mistake::stores_over_what_it_saw: return true;
            case mistake::stores_over_records: return before > detached;
            default: return is_unit(before);
        }
    }
    bool swap(value from, value to, value* found) {
        *found = from;
        return word_.compare_exchange_strong(*found, to, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    model::model_atomics::atomic<value> word_{live};
};

bool fails(void (*body)(model::run&)) {
    return model::explore(model::limits_of({"", body}), body).failed;
}

TEST(join_word_model, the_copy_is_right_without_a_mistake) {
    using copy = wrong_word<mistake::none>;
    EXPECT_FALSE(fails(joining_unit<copy>) || fails(joining_thread<copy>) ||
                 fails(detacher<copy>) || fails(gives_up_and_joins<copy>));
}

// Live may become anything between the look and the store.
TEST(join_word_model, a_store_over_live_loses_a_joiner_that_comes_between) {
    using wrong = wrong_word<mistake::stores_over_what_it_saw>;
    EXPECT_TRUE(fails(joining_unit<wrong>));
    EXPECT_TRUE(fails(joining_thread<wrong>));
    EXPECT_TRUE(fails(detacher<wrong>));
}

// The record may be withdrawn between the look and the store, and be gone. A ULT's address stays:
// only that is stored over.
TEST(join_word_model, a_store_over_a_record_wakes_a_joiner_that_has_left) {
    using wrong = wrong_word<mistake::stores_over_records>;
    EXPECT_FALSE(fails(joining_unit<wrong>) || fails(joining_thread<wrong>));
    EXPECT_TRUE(fails(gives_up_and_joins<wrong>));
}

// finish() is the last touch: the joiner has freed the unit, perhaps.
TEST(join_word_model, a_touch_after_the_end_is_found) {
    const auto body = [](model::run& run) {
        ending<shipped> shared(run);
        run.thread("finisher", [&] {
            shared.finish();
            shared.descriptor = 4;
        });
        run.thread("joiner", [&] { shared.join_as_thread(-1); });
        run.join();
    };
    const model::result found = model::explore(model::limits_of({"", body}), body);
    EXPECT_TRUE(found.failed);
    EXPECT_NE(found.failure.find("data race on descriptor"), std::string::npos) << found.failure;
}

}  // namespace
}  // namespace lazult
