// SPDX-License-Identifier: BSD-3-Clause
// Model runs of core::push_places: a thread that knows that all units of a pool have ended, and
// finds no thread pushing there, may destroy the pool, although the threads that pushed still used
// it after their units were out.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;
template <std::size_t Places>
using shipped = core::push_places<atomics, Places>;

// As lazult/core/worker/pool.hpp and lazult/sched/ready_pool.hpp have it: the unit is out before
// its pusher has looked at the gate for sleepers. The destroyer of the pool writes what the pushers
// read.
struct modelled_pool {
    atomics::atomic<std::uint32_t> units;
    atomics::atomic<std::uint32_t> ended;
    model::model_var<int> gate{0};

    explicit modelled_pool(model::run& run, const char* name) { run.label(*this, name); }

    void publish() { units.fetch_add(1, std::memory_order_release); }
    void look_at_gate() { model::check(gate == 0, "the pool that a thread pushes to is there"); }

    // Its stream, which runs each unit to its end.
    void serve(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            while (units.load(std::memory_order_acquire) <= i) {
                atomics::pause();
            }
            ended.store(i + 1, std::memory_order_release);
        }
    }
    void join(std::uint32_t count) {
        while (ended.load(std::memory_order_acquire) != count) {
            atomics::pause();
        }
    }
    // await_pushers(), and the end
    template <class... Words>
    void destroy(const Words&... workers) {
        const auto await = [&](const auto& word) {
            while (word.holds(this)) {
                atomics::pause();
            }
        };
        (await(workers), ...);
        gate = 1;
    }
};

// pool::push()
template <class Word, class Inside>
void push(Word& word, modelled_pool& to, Inside&& inside) {
    word.enter(&to);
    to.publish();
    inside();
    to.look_at_gate();
    word.leave();
}
template <class Word>
void push(Word& word, modelled_pool& to) {
    push(word, to, [] {});
}

template <class Word>
void one_push(model::run& run) {
    Word word;
    modelled_pool pool(run, "pool");
    run.label(word, "word");
    run.thread("pusher", [&] { push(word, pool); });
    run.thread("destroyer", [&] {
        pool.serve(1);
        pool.destroy(word);
    });
    run.join();
    model::check(!word.holds(&pool), "the thread is nowhere any more");
}

// The destroyer learns of the push by way of the unit's stream only.
template <class Word>
void one_push_to_another_stream(model::run& run) {
    Word word;
    modelled_pool pool(run, "pool");
    run.label(word, "word");
    run.thread("pusher", [&] { push(word, pool); });
    run.thread("stream", [&] { pool.serve(1); });
    run.thread("destroyer", [&] {
        pool.join(1);
        pool.destroy(word);
    });
    run.join();
}

// A destroyer that waits for the first push may find the second push in the place of the first one.
// It comes after the first push all the same.
template <class Word>
void one_after_another(model::run& run) {
    Word word;
    modelled_pool first(run, "first pool");
    modelled_pool second(run, "second pool");
    run.label(word, "word");
    run.thread("pusher", [&] {
        push(word, first);
        push(word, second);
    });
    run.thread("destroyer", [&] {
        first.serve(1);
        first.destroy(word);
    });
    run.join();
}

template <class Word>
void two_pushers(model::run& run) {
    Word first;
    Word second;
    modelled_pool pool(run, "pool");
    run.label(first, "first");
    run.label(second, "second");
    run.thread("pusher", [&] { push(first, pool); });
    run.thread("pusher 2", [&] { push(second, pool); });
    run.thread("destroyer", [&] {
        pool.serve(2);
        pool.destroy(first, second);
    });
    run.join();
}

// A push within a push: by a user's pool that wakes a unit of another pool, or by a pool that
// forwards.
template <class Word>
void nested(model::run& run) {
    Word word;
    modelled_pool outer(run, "outer pool");
    modelled_pool inner(run, "inner pool");
    run.label(word, "word");
    run.thread("pusher", [&] { push(word, outer, [&] { push(word, inner); }); });
    run.thread("destroyer of the outer one", [&] {
        outer.serve(1);
        outer.destroy(word);
    });
    run.thread("destroyer of the inner one", [&] {
        inner.serve(1);
        inner.destroy(word);
    });
    run.join();
    model::check(!word.holds(&outer) && !word.holds(&inner), "the thread is nowhere any more");
}

// Into itself: a push that wakes a unit of the same pool.
template <class Word>
void nested_in_itself(model::run& run) {
    Word word;
    modelled_pool pool(run, "pool");
    run.label(word, "word");
    run.thread("pusher", [&] { push(word, pool, [&] { push(word, pool); }); });
    run.thread("destroyer", [&] {
        pool.serve(2);
        pool.destroy(word);
    });
    run.join();
}

// core/worker/home_guard.hpp: a joiner looks at the home pool of a unit that may end meanwhile. The
// pool's stream ends the unit, and another thread sees that and destroys the pool.
enum class mistake { none, looks_without_saying_so, does_not_look_again, waits_without_a_barrier };

template <class Word, mistake Planted = mistake::none>
void a_joiner_looks(model::run& run) {
    Word word;
    modelled_pool pool(run, "pool");
    run.label(word, "word");
    run.thread("joiner", [&] {
        if (pool.ended.load(std::memory_order_relaxed) != 0) {
            return;
        }
        if constexpr (Planted != mistake::looks_without_saying_so) {
            word.enter(&pool);
        }
        atomics::light_barrier();
        if (Planted == mistake::does_not_look_again ||
            pool.ended.load(std::memory_order_relaxed) == 0) {
            pool.look_at_gate();
        }
        if constexpr (Planted != mistake::looks_without_saying_so) {
            word.leave();
        }
    });
    run.thread("stream", [&] { pool.ended.store(1, std::memory_order_relaxed); });
    run.thread("destroyer", [&] {
        pool.join(1);
        if constexpr (Planted != mistake::waits_without_a_barrier) {
            atomics::heavy_barrier();
        }
        pool.destroy(word);
    });
    run.join();
}

template <class Word>
const std::vector<model::scenario> scenarios = {
    {"one_push", one_push<Word>},
    {"one_push_to_another_stream", one_push_to_another_stream<Word>, 2},
    {"one_after_another", one_after_another<Word>, 2},
    {"two_pushers", two_pushers<Word>, 1},
    {"nested", nested<Word>, 1},
    {"nested_in_itself", nested_in_itself<Word>, 2},
    {"a_joiner_looks", a_joiner_looks<Word>},
};

TEST(push_places_model, nobody_destroys_a_pool_under_a_pusher) {
    model::expect_sound(scenarios<shipped<2>>);
}

// The last place stands for all the deeper ones.
TEST(push_places_model, nor_where_pushes_are_nested_deeper_than_there_are_places) {
    model::expect_sound(
        {{"nested", nested<shipped<1>>, 1}, {"nested_in_itself", nested_in_itself<shipped<1>>, 2}});
}

TEST(push_places_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios<shipped<1>>), std::set<std::string>{});
}

model::result try_wrong(void (*body)(model::run&)) {
    return model::explore(model::limits_of({"", body, 1}), body);
}

// One place, which the inner push takes and the outer one gets back. While the inner one lasts
// nobody sees the outer one.
class wrong_single_place {
public:
    void enter(const void* pool) {
        outer_.push_back(place_.load(std::memory_order_relaxed));
        place_.store(pool, std::memory_order_relaxed);
    }
    void leave() {
        place_.store(outer_.back(), std::memory_order_release);
        outer_.pop_back();
    }
    bool holds(const void* pool) const { return place_.load(std::memory_order_acquire) == pool; }

private:
    atomics::atomic<const void*> place_;
    std::vector<const void*> outer_;
};

TEST(push_places_model, an_inner_push_must_not_hide_the_outer_one) {
    EXPECT_FALSE(try_wrong(one_push<wrong_single_place>).failed);
    EXPECT_FALSE(try_wrong(nested_in_itself<wrong_single_place>).failed);
    const model::result found = try_wrong(nested<wrong_single_place>);
    EXPECT_TRUE(found.failed);
    EXPECT_NE(found.failure.find("outer pool"), std::string::npos) << found.failure;
}

// Forgets that somebody still stands where the last place has become everybody's.
class wrong_overflow {
public:
    void enter(const void* pool) {
        if (depth_++ == 0) {
            place_.store(pool, std::memory_order_relaxed);
        }
    }
    void leave() {
        if (--depth_ == 0) {
            place_.store(nullptr, std::memory_order_release);
        }
    }
    bool holds(const void* pool) const { return place_.load(std::memory_order_acquire) == pool; }

private:
    atomics::atomic<const void*> place_;
    int depth_ = 0;
};

TEST(push_places_model, what_has_no_place_must_be_seen_too) {
    EXPECT_TRUE(try_wrong(nested<wrong_overflow>).failed);
}

// Says where it is when the unit is out already.
template <class Word>
void says_so_too_late(model::run& run) {
    Word word;
    modelled_pool pool(run, "pool");
    run.thread("pusher", [&] {
        pool.publish();
        word.enter(&pool);
        pool.look_at_gate();
        word.leave();
    });
    run.thread("destroyer", [&] {
        pool.serve(1);
        pool.destroy(word);
    });
    run.join();
}

TEST(push_places_model, the_thread_must_say_so_before_the_unit_is_out) {
    EXPECT_TRUE(try_wrong(says_so_too_late<shipped<3>>).failed);
}

// What lazult/core/worker/pool.hpp did at first: a relaxed store on top of the release of leave().
TEST(push_places_model, the_next_push_must_carry_on_what_the_last_one_released) {
    model::options broken = model::limits_of({"", one_after_another<shipped<2>>, 2});
    broken.weaken = {
        {"enter", model::operation::store, std::memory_order_release, std::memory_order_relaxed}};
    const model::result found = model::explore(broken, one_after_another<shipped<2>>);
    EXPECT_TRUE(found.failed);
    EXPECT_NE(found.failure.find("data race on first pool"), std::string::npos) << found.failure;
}

// A thread that has not seen the units' end may not destroy the pool: nothing orders it after the
// push.
template <class Word>
void does_not_join(model::run& run) {
    Word word;
    modelled_pool pool(run, "pool");
    run.thread("pusher", [&] { push(word, pool); });
    run.thread("destroyer", [&] { pool.destroy(word); });
    run.join();
}

TEST(push_places_model, a_joiner_says_where_it_looks_and_looks_again) {
    using word = shipped<3>;
    EXPECT_TRUE(try_wrong(a_joiner_looks<word, mistake::looks_without_saying_so>).failed);
    EXPECT_TRUE(try_wrong(a_joiner_looks<word, mistake::does_not_look_again>).failed);
    EXPECT_TRUE(try_wrong(a_joiner_looks<word, mistake::waits_without_a_barrier>).failed);
}

TEST(push_places_model, the_units_must_have_ended) {
    EXPECT_TRUE(try_wrong(does_not_join<shipped<3>>).failed);
}

}  // namespace
}  // namespace lazult
