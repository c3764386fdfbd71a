// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core::park_word: a unit that parks is resumed once for each time, with its context,
// by an unpark that came before, meanwhile or after; what any unparker did before is seen; one
// token is kept.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;
using shipped = core::park_word<atomics>;

// A unit on its stream, as lazult/core/switch/suspend.cpp has it. Its pool is a private one: the
// stream itself makes it ready without any atomics (lazult/core/worker/pool.hpp), and others
// through what is here a word to sleep on.
template <class Word>
struct parking {
    Word park_word;
    model::model_var<int> context{0};
    atomics::atomic<std::uint32_t> inbox;
    int suspended = 0;
    int resumed = 0;

    explicit parking(model::run& run) {
        run.label(park_word, "park word");
        run.label(context, "context");
        run.label(inbox, "inbox");
    }

    // Each time that the unit is made ready.
    void resume() {
        model::check(context == suspended, "whoever resumes the unit finds its context saved");
        model::check(++resumed == suspended, "a suspension ends once");
    }
    // park() and commit_park(), and then the stream's loop
    void park() {
        if (park_word.try_consume()) {
            return;
        }
        context = ++suspended;
        if (!park_word.commit()) {
            resume();
            return;
        }
        while (inbox.exchange(0, std::memory_order_acquire) == 0) {
            atomics::futex_wait(inbox, 0, -1);
        }
    }
    // unpark() and make_ready()
    void unpark() {
        if (park_word.unpark()) {
            resume();
            inbox.store(1, std::memory_order_release);
            atomics::futex_wake(inbox, 1);
        }
    }
    void expect_settled() {
        model::check(resumed == suspended, "every suspension has ended");
        park_word.try_consume();
        model::check(!park_word.try_consume(), "at most one token is kept");
    }
};

template <class Word>
void one_unparker(model::run& run) {
    parking<Word> shared(run);
    model::model_var<int> done{0};
    run.thread("unit", [&] {
        shared.park();
        model::check(done == 1, "what the unparker did before is seen");
    });
    run.thread("unparker", [&] {
        done = 1;
        shared.unpark();
    });
    run.join();
    model::check(!shared.park_word.try_consume(), "the token was used");
    shared.expect_settled();
}

// A token that comes on top of another one is lost, but the unit must see what its unparker did:
// after two unparks it may look only once.
template <class Word>
void two_unparkers(model::run& run) {
    parking<Word> shared(run);
    std::array<atomics::atomic<int>, 2> told;
    run.label(told, "told");
    run.thread("unit", [&] {
        while (told[0].load(std::memory_order_relaxed) == 0 ||
               told[1].load(std::memory_order_relaxed) == 0) {
            shared.park();
        }
    });
    for (auto& each : told) {
        run.thread("unparker", [&] {
            each.store(1, std::memory_order_relaxed);
            shared.unpark();
        });
    }
    run.join();
    shared.expect_settled();
}

template <class Word>
void one_park_and_two_unparkers(model::run& run) {
    parking<Word> shared(run);
    run.thread("unit", [&] { shared.park(); });
    run.thread("unparker", [&] { shared.unpark(); });
    run.thread("unparker 2", [&] { shared.unpark(); });
    run.join();
    shared.expect_settled();
}

template <class Word>
void parks_again(model::run& run) {
    parking<Word> shared(run);
    atomics::atomic<int> step;
    model::model_var<int> done{0};
    run.thread("unit", [&] {
        shared.park();
        step.store(1, std::memory_order_relaxed);
        shared.park();
        model::check(done == 1, "the second unpark ended the second park");
    });
    run.thread("unparker", [&] {
        shared.unpark();
        while (step.load(std::memory_order_relaxed) == 0) {
            atomics::pause();
        }
        done = 1;
        shared.unpark();
    });
    run.join();
    shared.expect_settled();
}

// Each unparker is a stream that runs the unit itself, which then parks again and leaves the stream
// alone.
template <class Word>
void goes_from_stream_to_stream(model::run& run) {
    Word park;
    model::model_var<int> context{0};
    int pieces = 0;
    run.label(park, "park word");
    run.label(context, "context");
    const auto run_here = [&] {
        do {
            model::check(context == pieces, "the unit continues where it stopped");
            context = ++pieces;
        } while (park.try_consume() || !park.commit());
    };
    run.thread("first stream", run_here);
    for (const char* name : {"stream", "stream 2"}) {
        run.thread(name, [&] {
            if (park.unpark()) {
                run_here();
            }
        });
    }
    run.join();
    model::check(pieces == 2 || pieces == 3,
                 "two unparks wake it twice, or once if both came before it parked");
    model::check(park.is_parked(), "and nobody is left to wake it");
}

template <class Word>
const std::vector<model::scenario> scenarios = {
    {"one_unparker", one_unparker<Word>},
    {"two_unparkers", two_unparkers<Word>},
    {"one_park_and_two_unparkers", one_park_and_two_unparkers<Word>},
    {"parks_again", parks_again<Word>},
    {"goes_from_stream_to_stream", goes_from_stream_to_stream<Word>},
};

TEST(park_word_model, loses_no_wake_up) { model::expect_sound(scenarios<shipped>); }

// commit()'s failure order is not in the sweep, and needs nothing: the next line acquires.
TEST(park_word_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios<shipped>), std::set<std::string>{});
}

// The same word with one mistake in commit().
enum class mistake { token_is_overwritten, looks_before_it_parks, token_is_left };

template <mistake Made>
class wrong_word {
public:
    bool try_consume() {
        std::uint32_t expected = token;
        return word_.compare_exchange_strong(expected, empty, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }
    bool commit() {
        std::uint32_t expected = empty;
        if constexpr (Made == mistake::looks_before_it_parks) {
            if (word_.load(std::memory_order_acquire) == empty) {
                word_.store(parked, std::memory_order_release);
                return true;
            }
        } else if (word_.compare_exchange_strong(expected, parked, std::memory_order_release,
                                                 std::memory_order_acquire)) {
            return true;
        }
        if constexpr (Made == mistake::token_is_overwritten) {
            word_.store(empty, std::memory_order_relaxed);
        }
        return false;
    }
    bool unpark() {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(seen, seen == parked ? empty : token,
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {
        }
        return seen == parked;
    }
    bool is_parked() const { return word_.load(std::memory_order_relaxed) == parked; }

private:
    static constexpr std::uint32_t empty = 0;
    static constexpr std::uint32_t token = 1;
    static constexpr std::uint32_t parked = 2;
    atomics::atomic<std::uint32_t> word_;
};

model::result try_wrong(void (*body)(model::run&)) {
    return model::explore(model::limits_of({"", body}), body);
}

// A plain store overwrites the token of a second unparker without seeing what that one did: the
// unit looks, finds itself not told, parks again, and nobody comes.
TEST(park_word_model, a_token_must_be_read_when_it_is_taken) {
    using wrong = wrong_word<mistake::token_is_overwritten>;
    EXPECT_FALSE(try_wrong(one_unparker<wrong>).failed);
    const model::result found = try_wrong(two_unparkers<wrong>);
    EXPECT_TRUE(found.failed);
    EXPECT_NE(found.failure.find("lost wake-up"), std::string::npos) << found.failure;
}

TEST(park_word_model, an_unpark_between_look_and_store_is_found_missing) {
    using wrong = wrong_word<mistake::looks_before_it_parks>;
    EXPECT_TRUE(try_wrong(one_unparker<wrong>).failed);
}

TEST(park_word_model, a_token_that_was_used_must_go) {
    using wrong = wrong_word<mistake::token_is_left>;
    EXPECT_TRUE(try_wrong(one_unparker<wrong>).failed);
}

}  // namespace
}  // namespace lazult
