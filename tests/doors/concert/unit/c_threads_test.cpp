// SPDX-License-Identifier: BSD-3-Clause
// The C face of contexts: threads, futures, continuations.
#include <lazult_concert_threads.h>
#include <lazult/runtime.hpp>
#include <lazult/thread.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

struct fib {
    int step;
    long n;
    concert_continuation to;
    concert_slot left;
    concert_slot right;
};

long value_of(const concert_slot& s) { return static_cast<long>(s.value[0]); }
void resolve(concert_continuation to, long value) {
    EXPECT_EQ(concert_resolve_future(to, &value, sizeof value), CONCERT_OK);
}

int fib_code(concert_thread* self, void* data) {
    fib& f = *static_cast<fib*>(data);
    if (f.n < 2) {
        resolve(f.to, f.n);
        return CONCERT_ENDS;
    }
    if (f.step == 0) {
        f.step = 1;
        const fib one{0, f.n - 1, concert_make_future(self, &f.left), {}, {}};
        concert_thread_create(fib_code, &one, sizeof one);
        const fib two{0, f.n - 2, concert_make_future(self, &f.right), {}, {}};
        concert_thread_create(fib_code, &two, sizeof two);
    }
    concert_slot* const both[] = {&f.left, &f.right};
    if (concert_touch_many(self, both, 2) == 0) {
        return CONCERT_WAITS;
    }
    resolve(f.to, value_of(f.left) + value_of(f.right));
    return CONCERT_ENDS;
}

long run_fib(long n) {
    std::array<std::uint64_t, 2> result{};
    EXPECT_EQ(concert_run(
                  [](concert_continuation to, void* argument) {
                      const fib first{0, *static_cast<long*>(argument), to, {}, {}};
                      concert_thread_create(fib_code, &first, sizeof first);
                  },
                  &n, result.data()),
              CONCERT_OK);
    return static_cast<long>(result[0]);
}

TEST(c_threads, give_a_result) {
    EXPECT_EQ(run_fib(1), 1);
    EXPECT_EQ(run_fib(16), 987);
}

TEST(c_threads, run_for_many_callers) {
    const lazult::runtime running;
    std::vector<long> results(8);
    std::vector<lazult::thread> ults;
    for (std::size_t i = 0; i < 4; ++i) {
        ults.emplace_back([&results, i] { results[i] = run_fib(12); });
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 4; i < 8; ++i) {
        threads.emplace_back([&results, i] { results[i] = run_fib(12); });
    }
    std::for_each(threads.begin(), threads.end(), [](std::thread& t) { t.join(); });
    lazult::join_many(ults);
    EXPECT_EQ(results, std::vector<long>(8, 144));
}

// --- a counting future

struct counted {
    int step;
    concert_continuation to;
    concert_slot all;
};
constexpr std::uint32_t many = 100'000;

struct counter_user {
    concert_continuation done;
};
int count_code(concert_thread*, void* data) {
    concert_resolve_future(static_cast<counter_user*>(data)->done, nullptr, 0);
    return CONCERT_ENDS;
}
int counted_code(concert_thread* self, void* data) {
    counted& c = *static_cast<counted*>(data);
    if (c.step == 0) {
        c.step = 1;
        const counter_user each{concert_make_counting(self, &c.all, many)};
        for (std::uint32_t i = 0; i < many; ++i) {
            concert_thread_create(count_code, &each, sizeof each);
        }
    }
    if (concert_touch_future(self, &c.all) == 0) {
        return CONCERT_WAITS;
    }
    resolve(c.to, 42);
    return CONCERT_ENDS;
}

TEST(c_threads, count_a_hundred_thousand) {
    std::array<std::uint64_t, 2> result{};
    concert_run(
        [](concert_continuation to, void*) {
            const counted c{0, to, {}};
            concert_thread_create(counted_code, &c, sizeof c);
        },
        nullptr, result.data());
    EXPECT_EQ(result[0], 42U);
}

// --- small things

struct fills_its_own {
    concert_continuation to;
    concert_slot mine;
};
int fills_its_own_code(concert_thread* self, void* data) {
    fills_its_own& f = *static_cast<fills_its_own*>(data);
    resolve(concert_make_future(self, &f.mine), 5);
    EXPECT_NE(concert_touch_future(self, &f.mine), 0);
    const concert_continuation again = concert_make_future(self, &f.mine);
    EXPECT_EQ(concert_touch_future(self, &f.mine), 0);
    resolve(again, 6);
    EXPECT_NE(concert_touch_future(self, &f.mine), 0);
    resolve(f.to, value_of(f.mine));
    return CONCERT_ENDS;
}

TEST(c_threads, may_fill_their_own_futures) {
    std::array<std::uint64_t, 2> result{};
    concert_run(
        [](concert_continuation to, void*) {
            const fills_its_own f{to, {}};
            concert_thread_create(fills_its_own_code, &f, sizeof f);
            EXPECT_EQ(concert_thread_dequeue(), 1);
            EXPECT_EQ(concert_thread_dequeue(), 0);
        },
        nullptr, result.data());
    EXPECT_EQ(result[0], 6U);
}

TEST(c_threads, may_be_prepared_and_deleted) {
    concert_run(
        [](concert_continuation to, void*) {
            const long data = 7;
            concert_thread* const t = concert_thread_prepare(count_code, &data, sizeof data);
            ASSERT_NE(t, nullptr);
            EXPECT_EQ(*static_cast<long*>(concert_thread_data(t)), 7);
            concert_thread_delete(t);
            const counter_user user{to};
            concert_thread* const runs = concert_thread_prepare(count_code, &user, sizeof user);
            ASSERT_NE(runs, nullptr);
            concert_thread_enqueue(runs);
        },
        nullptr, nullptr);
}

TEST(c_threads, refuse_what_is_too_large) {
    concert_run(
        [](concert_continuation to, void*) {
            const std::vector<char> data(CONCERT_MAX_DATA + 1);
            EXPECT_EQ(concert_thread_create(count_code, data.data(), data.size()), nullptr);
            EXPECT_NE(concert_thread_prepare(count_code, data.data(), CONCERT_MAX_DATA), nullptr);
            EXPECT_EQ(concert_resolve_future(to, data.data(), CONCERT_MAX_RESULT + 1),
                      CONCERT_ERR_SIZE);
            concert_resolve_future(to, nullptr, 0);
        },
        nullptr, nullptr);
}

TEST(c_threads_death, outside_of_a_run) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const int data = 0;
    EXPECT_DEATH(concert_thread_create(count_code, &data, sizeof data),
                 "concert_thread_create: the caller is not inside concert_run\\(\\)");
}

int ends_too_early(concert_thread* self, void* data) {
    fills_its_own& f = *static_cast<fills_its_own*>(data);
    concert_make_future(self, &f.mine);
    concert_touch_future(self, &f.mine);
    return CONCERT_ENDS;
}

TEST(c_threads_death, ends_with_a_touched_future) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(concert_run(
                     [](concert_continuation to, void*) {
                         const fills_its_own f{to, {}};
                         concert_thread_create(ends_too_early, &f, sizeof f);
                     },
                     nullptr, nullptr),
                 "return CONCERT_WAITS where a touch gives 0");
}

TEST(c_threads_death, uses_a_continuation_twice) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(concert_run(
                     [](concert_continuation, void*) {
                         const fills_its_own f{{}, {}};
                         concert_thread* const t =
                             concert_thread_prepare(fills_its_own_code, &f, sizeof f);
                         auto* const mine = static_cast<fills_its_own*>(concert_thread_data(t));
                         const concert_continuation to = concert_make_future(t, &mine->mine);
                         concert_resolve_future(to, nullptr, 0);
                         concert_resolve_future(to, nullptr, 0);
                     },
                     nullptr, nullptr),
                 "continuation: it has been used already; use each continuation once");
}

}  // namespace
