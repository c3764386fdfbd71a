// SPDX-License-Identifier: BSD-3-Clause
// Methods: the same results on the stack, in contexts, and where every n-th call leaves the stack.
#include "doors/concert/src/contexts/strand.hpp"
#include "lazult/probe/probe.hpp"

#include <lazult/runtime.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>
#include <lazult_concert_methods.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace lazult::concert {
namespace {

outcome<long> fib(long n) {
    if (n < 2) {
        return n;
    }
    return all(call(fib, n - 1), call(fib, n - 2)).then([](long a, long b) { return a + b; });
}

long twice(long n) { return 2 * n; }

outcome<long> twice_and_fib(long n) {
    return all(call(twice, n), call(fib, n)).then([](long a, long b) { return a + b; });
}

outcome<long> depth(long n) {
    if (n == 0) {
        return 0L;
    }
    return call(depth, n - 1).then([](long below) { return below + 1; });
}

// The next part needs the result of the one before.
outcome<long> twice_if_even(long n) {
    return call(fib, n).keep(n).then([](long m, long) { return m % 2 == 0 ? 2 * m : m; });
}

outcome<long> in_steps(long n) {
    return call(fib, n).keep(n).then([](long kept, long first) {
        return call(fib, kept + 1).keep(first).then([](long before, long second) {
            return call(fib, 3L).keep(before, second).then([](long a, long b, long third) {
                return 10'000 * a + 100 * b + third;
            });
        });
    });
}

outcome<long> ends_with_call(long n) { return call(fib, n); }

outcome<long> chain(caller<long> by, long n) {
    if (n == 0) {
        return 7L;
    }
    return by.pass_to(chain, n - 1);
}

outcome<long> chain_that_ends_in_may_block(caller<long> by, long n) {
    if (n == 0) {
        return by.pass_to(fib, 10L);
    }
    return by.pass_to(chain_that_ends_in_may_block, n - 1);
}

outcome<long> resolves_at_once(caller<long> by, long value) {
    by.take().resolve(value);
    return by.given();
}

outcome<long> calls_one_that_resolves_at_once(long n) {
    return all(call(resolves_at_once, n), call(fib, n), call(resolves_at_once, n + 1))
        .then([](long a, long b, long c) { return 10'000 * a + 100 * b + c; });
}

outcome<long> recursion_with_callers(caller<long>, long n) {
    if (n < 2) {
        return n;
    }
    return all(call(recursion_with_callers, n - 1), call(recursion_with_callers, n - 2))
        .then([](long a, long b) { return a + b; });
}

outcome<void> count_up(std::int64_t i, std::vector<int>* counts) {
    ++(*counts)[static_cast<std::size_t>(i)];
    return call(fib, i % 4).then([](long) {});
}

outcome<long> square(std::int64_t i) {
    return call(fib, i % 5).keep(i).then([](std::int64_t n, long) {
        return static_cast<long>(n * n);
    });
}

outcome<std::string> text(long n) {
    return all(call(fib, n), call(fib, n + 1))
        .keep(std::string(30, 'x'))
        .then([](std::string kept, long a, long b) {
            return kept + std::to_string(a) + "," + std::to_string(b);
        });
}

outcome<std::unique_ptr<long>> owned(long n) {
    return call(fib, n).then([](long a) { return std::make_unique<long>(a); });
}

outcome<long> owner(long n) {
    return all(call(owned, n), call(owned, n + 1))
        .then([](std::unique_ptr<long> a, std::unique_ptr<long> b) { return *a + *b; });
}

bool is_safe(std::vector<int> columns) {
    const auto row = static_cast<int>(columns.size()) - 1;
    const int column = columns.back();
    for (int i = 0; i < row; ++i) {
        const int there = columns[static_cast<std::size_t>(i)];
        if (there == column || std::abs(there - column) == row - i) {
            return false;
        }
    }
    return true;
}

outcome<long> queens_from(std::int64_t column, std::vector<int> columns, int n) {
    columns.push_back(static_cast<int>(column));
    if (!is_safe(columns)) {
        return 0L;
    }
    if (static_cast<int>(columns.size()) == n) {
        return 1L;
    }
    return combine(0, n, 0L, std::plus<>{}, &queens_from, std::move(columns), n);
}

outcome<long> queens(int n) {
    return combine(0, n, 0L, std::plus<>{}, &queens_from, std::vector<int>(), n);
}

outcome<long> fails_below(long n) {
    if (n == 0) {
        throw std::runtime_error("planted");
    }
    return call(fails_below, n - 1).then([](long below) { return below; });
}

outcome<long> one_of_two_fails(long n) {
    return all(call(fib, n), call(fails_below, n)).then([](long a, long) { return a; });
}

outcome<long> fails_in_then(long n) {
    return call(fib, n).then([](long) -> long { throw std::runtime_error("in then"); });
}

task<long> fib_by_coroutine(long n) {
    if (n < 2) {
        co_return n;
    }
    const auto [a, b] = co_await all(call(fib_by_coroutine, n - 1), call(fib_by_coroutine, n - 2));
    co_return a + b;
}

task<long> sum_of_fibs(long n) {
    long sum = 0;
    for (long i = 0; i < n; ++i) {
        sum += co_await call(i % 2 == 0 ? fib : ends_with_call, i);
    }
    co_return sum;
}

outcome<long> both_kinds(long n) {
    return all(call(sum_of_fibs, n), call(fib, n), call(fib_by_coroutine, n))
        .then([](long a, long b, long c) { return a - b - c; });
}

task<void> counts_in_steps(std::vector<int>* counts) {
    for (std::int64_t i = 0; i < 20; ++i) {
        co_await all(call(count_up, i, counts), call(fib, 3L));
    }
}

task<std::string> catches_what_it_awaits(long n) {
    std::string said;
    try {
        co_await call(fails_below, n);
    } catch (const std::runtime_error& e) {
        said = e.what();
    }
    co_return said;
}

task<long> fails_after_a_call(long n) {
    co_await call(fib, n);
    throw std::runtime_error("in a coroutine");
}

// Its frame is larger than what the lists of contexts have.
task<long> large_frame(long n) {
    std::array<long, 2000> kept{};
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i] = static_cast<long>(i) + co_await call(twice_if_even, n);
    }
    long sum = 0;
    for (const long each : kept) {
        sum += each;
    }
    co_return sum;
}

// Every how many calls one is sent to a context: 0 for none.
class methods : public testing::TestWithParam<unsigned> {
protected:
    void SetUp() override { detail::block_every(GetParam()); }
    void TearDown() override { detail::block_every(0); }

    const lazult::runtime running_;
};

INSTANTIATE_TEST_SUITE_P(blocked, methods, testing::Values(0U, 1U, 2U, 3U, 5U, 7U, 100U),
                         [](const testing::TestParamInfo<unsigned>& every) {
                             return every.param == 0 ? std::string("never")
                                                     : "every_" + std::to_string(every.param);
                         });

TEST_P(methods, fib_is_right) {
    EXPECT_EQ(run(fib, 16L), 987);
    EXPECT_EQ(run(fib, 1L), 1);
}

TEST_P(methods, may_call_what_never_blocks) {
    EXPECT_EQ(run(twice_and_fib, 10L), 75);
    EXPECT_EQ(run(twice, 4L), 8);
}

TEST_P(methods, recurse_deeper_than_any_stack) { EXPECT_EQ(run(depth, 200'000L), 200'000); }

// Calls with large arguments need more of the stack, and leave it earlier. Under AddressSanitizer
// frames hold more copies of them than the runtime expects.
struct large {
    std::array<long, probe::asan ? 100 : 475> words{};
};
outcome<long> deep_with_large(long n, large a) {
    if (n == 0) {
        return a.words[7];
    }
    ++a.words[7];
    return all(call(twice, n), call(deep_with_large, n - 1, a)).then([](long, long below) {
        return below;
    });
}
outcome<long> passed_on_with_large(caller<long> by, long n, large a) {
    if (n == 0) {
        return a.words[7];
    }
    ++a.words[7];
    return by.pass_to(passed_on_with_large, n - 1, a);
}
outcome<long> loops_with_large(std::int64_t i, long n, large a) {
    if (n == 0 || i == 1) {
        return i == 1 ? 0 : a.words[7];
    }
    ++a.words[7];
    return combine(0, 2, 0L, std::plus<>{}, loops_with_large, n - 1, a);
}

TEST_P(methods, with_large_arguments_recurse_deeper_than_any_stack) {
    EXPECT_EQ(run(deep_with_large, 20'000L, large{}), 20'000);
    EXPECT_EQ(run(passed_on_with_large, 20'000L, large{}), 20'000);
    EXPECT_EQ(run(loops_with_large, std::int64_t{0}, 20'000L, large{}), 20'000);
}

TEST_P(methods, go_on_step_by_step) { EXPECT_EQ(run(in_steps, 6L), 81'302); }

TEST_P(methods, end_with_a_call) { EXPECT_EQ(run(ends_with_call, 9L), 34); }

TEST_P(methods, pass_their_continuation_on) {
    EXPECT_EQ(run(chain, 1000L), 7);
    EXPECT_EQ(run(chain_that_ends_in_may_block, 1000L), 55);
}

TEST_P(methods, may_resolve_what_they_have_taken_at_once) {
    EXPECT_EQ(run(calls_one_that_resolves_at_once, 6L), 60'807);
    EXPECT_EQ(run(resolves_at_once, 3L), 3);
}

TEST_P(methods, are_told_from_callers_of_the_same_type) {
    EXPECT_EQ(run(recursion_with_callers, 14L), 377);
}

TEST_P(methods, in_a_loop_run_once_each) {
    std::vector<int> counts(200);
    run(each<decltype(&count_up), std::vector<int>*>, std::int64_t{0}, std::int64_t{200}, &count_up,
        &counts);
    EXPECT_EQ(counts, std::vector<int>(200, 1));
}

TEST_P(methods, in_a_loop_add_up) {
    EXPECT_EQ(run(combine<long, std::plus<>, decltype(&square)>, std::int64_t{0}, std::int64_t{100},
                  5L, std::plus<>{}, &square),
              328'355);
}

// Each call of the loop looks whether the method that was ready before has gone on.
struct seen_by_a_loop {
    continuation<long> waiting;
    bool has_gone_on = false;
    std::int64_t first_seen_at = -1;
};
outcome<long> wait_for_continuation(caller<long> by, seen_by_a_loop* in) {
    in->waiting = by.take();
    return by.given();
}
outcome<void> wait_and_go_on(seen_by_a_loop* in) {
    return call(wait_for_continuation, in).keep(in).then([](seen_by_a_loop* seen, long) {
        seen->has_gone_on = true;
    });
}
void make_ready(seen_by_a_loop* in) { in->waiting.resolve(1L); }
void look_and_spin(std::int64_t i, seen_by_a_loop* in) {
    if (in->has_gone_on && in->first_seen_at < 0) {
        in->first_seen_at = i;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (in->first_seen_at < 0 && std::chrono::steady_clock::now() < until) {
    }
}
outcome<void> loop_and_look(seen_by_a_loop* in) { return each(0, 100, look_and_spin, in); }
outcome<void> wait_and_loop(seen_by_a_loop* in) {
    return all(call(wait_and_go_on, in), call(make_ready, in), call(loop_and_look, in)).then([] {});
}

TEST(methods_loop, lets_methods_that_are_ready_go_on) {
    seen_by_a_loop seen;
    run(wait_and_loop, &seen);
    EXPECT_GE(seen.first_seen_at, 0);
    EXPECT_LE(seen.first_seen_at, 10);
}

// Its sum is the same, however often it gives way.
TEST(methods_loop, gives_way_and_adds_up) {
    seen_by_a_loop unused;
    const long sum = run(
        [](seen_by_a_loop* in) {
            return all(call(wait_and_go_on, in), call(make_ready, in), call([] {
                           return combine(0, 200, 0L, std::plus<>{}, [](std::int64_t i) {
                               const auto until =
                                   std::chrono::steady_clock::now() + std::chrono::microseconds(5);
                               while (std::chrono::steady_clock::now() < until) {
                               }
                               return static_cast<long>(i);
                           });
                       }))
                .then([](long all_of_them) { return all_of_them; });
        },
        &unused);
    EXPECT_EQ(sum, 199L * 200 / 2);
}

// A context's memory is used again and again, so its generation exceeds 16 bits.
TEST(methods_loop, waits_in_memory_that_was_used_often) {
    constexpr int more_than_16_bits = 70'000;
    const auto waits = [](std::int64_t) -> outcome<void> { return call([] {}).then([] {}); };
    detail::block_every(1);
    for (int i = 0; i < more_than_16_bits; ++i) {
        run(each<decltype(waits)>, std::int64_t{0}, std::int64_t{2}, waits);
    }
    detail::block_every(0);
}

TEST_P(methods, give_values_that_own_memory) {
    EXPECT_EQ(run(text, 8L), std::string(30, 'x') + "21,34");
    EXPECT_EQ(run(owner, 8L), 55);
}

TEST_P(methods, find_all_queens) { EXPECT_EQ(run(queens, 6), 4); }

TEST_P(methods, may_be_coroutines) {
    EXPECT_EQ(run(fib_by_coroutine, 14L), 377);
    EXPECT_EQ(run(sum_of_fibs, 12L), 232);
    EXPECT_EQ(run(both_kinds, 9L), 54 - 34 - 34);
    std::vector<int> counts(20);
    run(counts_in_steps, &counts);
    EXPECT_EQ(counts, std::vector<int>(20, 1));
    EXPECT_EQ(run(large_frame, 2L), 2000 * 1999 / 2 + 2000 * 4);
}

TEST_P(methods, that_are_coroutines_pass_exceptions_on) {
    EXPECT_EQ(run(catches_what_it_awaits, 4L), "planted");
    EXPECT_THROW(run(fails_after_a_call, 4L), std::runtime_error);
}

TEST_P(methods, pass_exceptions_to_their_caller) {
    EXPECT_THROW(run(fails_below, 5L), std::runtime_error);
    EXPECT_THROW(run(one_of_two_fails, 6L), std::runtime_error);
    EXPECT_THROW(run(fails_in_then, 6L), std::runtime_error);
}

TEST_P(methods, run_for_many_threads_at_once) {
    std::vector<lazult::thread> ults;
    std::vector<long> results(20);
    for (std::size_t i = 0; i < results.size(); ++i) {
        ults.emplace_back([&results, i] { results[i] = run(fib, 12L); });
    }
    std::vector<std::thread> threads;
    std::vector<long> others(3);
    for (std::size_t i = 0; i < others.size(); ++i) {
        threads.emplace_back([&others, i] { others[i] = run(fib, 12L); });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    lazult::join_many(ults);
    EXPECT_EQ(results, std::vector<long>(20, 144));
    EXPECT_EQ(others, std::vector<long>(3, 144));
}

// --- continuations that are kept

std::atomic<bool> has_kept{false};
continuation<long> kept;

outcome<long> keeps_its_continuation(caller<long> by) {
    kept = by.take();
    has_kept = true;
    return by.given();
}

outcome<long> waits_for_it(long n) {
    return all(call(keeps_its_continuation), call(fib, n)).keep(n).then([](long x, long a, long b) {
        return 1'000'000 * x + 1000 * a + b;
    });
}

continuation<long> await_kept() {
    while (!has_kept) {
        this_thread::yield();
    }
    has_kept = false;
    return kept;
}

TEST_P(methods, are_resolved_from_outside) {
    lazult::thread waiting([] { EXPECT_EQ(run(waits_for_it, 5L), 5'042'005); });
    await_kept().resolve(42);
    waiting.join();
    std::thread outside([] { EXPECT_EQ(run(waits_for_it, 5L), 5'043'005); });
    await_kept().resolve(43);
    outside.join();
}

TEST_P(methods, fail_from_outside) {
    lazult::thread waiting([] { EXPECT_THROW(run(waits_for_it, 5L), std::runtime_error); });
    await_kept().fail(std::make_exception_ptr(std::runtime_error("from outside")));
    waiting.join();
}

outcome<long> resolves_kept(long value) {
    kept.resolve(value);
    return 0L;
}

TEST_P(methods, are_resolved_by_other_methods) {
    lazult::thread waiting([] { EXPECT_EQ(run(waits_for_it, 4L), 4'007'003); });
    await_kept();
    run(resolves_kept, 7L);
    waiting.join();
}

// --- who waits for whom

outcome<long> drops_what_goes_on(std::atomic<long>* sum);
outcome<void> adds(std::atomic<long>* sum) {
    return call(fib, 10L).keep(sum).then([](std::atomic<long>* to, long value) { *to += value; });
}
outcome<long> drops_what_goes_on(std::atomic<long>* sum) {
    for (int i = 0; i < 5; ++i) {
        [[maybe_unused]] const outcome<void> dropped = call(adds, sum);
    }
    return call(fib, 12L);
}

TEST_P(methods, that_are_dropped_go_on) {
    std::atomic<long> sum{0};
    EXPECT_EQ(run(drops_what_goes_on, &sum), 144);
    while (sum != 5 * 55) {
        this_thread::yield();
    }
}

// No stream of the runtime is free meanwhile.
TEST_P(methods, of_an_outside_thread_need_no_stream) {
    std::thread outside([] { EXPECT_EQ(run(depth, 100'000L), 100'000); });
    outside.join();
}

TEST_P(methods, are_refused_to_tasklets) {
    lazult::tasklet([] {
        try {
            run(fib, 3L);
            ADD_FAILURE() << "it ran";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::cannot_suspend);
        }
    }).join();
}

TEST_P(methods, outlive_a_cancelled_wait) {
    lazult::thread waiting([] {
        run(waits_for_it, 5L);
        ADD_FAILURE() << "it was not cancelled";
    });
    const continuation<long> mine = await_kept();
    lazult::cancel(waiting);
    this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_FALSE(waiting.finished());  // its result is still to come
    mine.resolve(1);
    waiting.join();
}

// A method that a loop calls, and that wants its continuation, gets one that is used once.
std::mutex taken_lock;  // held for a moment: the methods may be in several strands
std::vector<continuation<long>> taken;
outcome<long> takes(caller<long> by) {
    const std::lock_guard hold(taken_lock);
    taken.push_back(by.take());
    return by.given();
}
outcome<long> has_one_that_takes(std::int64_t) { return call(takes); }

TEST_P(methods, of_a_loop_take_continuations_of_their_own) {
    lazult::thread waiting([] {
        EXPECT_EQ(run(combine<long, std::plus<>, decltype(&has_one_that_takes)>, std::int64_t{0},
                      std::int64_t{3}, 0L, std::plus<>{}, &has_one_that_takes),
                  123);
    });
    std::vector<continuation<long>> all;
    while (all.size() != 3) {
        this_thread::yield();
        const std::lock_guard hold(taken_lock);
        all = taken;
    }
    all[0].resolve(100);
    all[1].resolve(20);
    all[2].resolve(3);
    waiting.join();
    taken.clear();
}

outcome<void> fails_at_three(std::int64_t i, std::atomic<int>* ended) {
    if (i == 3) {
        throw std::runtime_error("three");
    }
    return call(fib, 6L).keep(ended).then([](std::atomic<int>* count, long) { ++*count; });
}

TEST_P(methods, of_a_loop_that_fails_end_first) {
    std::atomic<int> ended{0};
    EXPECT_THROW(run(each<decltype(&fails_at_three), std::atomic<int>*>, std::int64_t{0},
                     std::int64_t{10}, &fails_at_three, &ended),
                 std::runtime_error);
    EXPECT_GE(ended, 3);
}

outcome<long> prints_at_depth(long n) {
    if (n == 0) {
        return 0L;
    }
    if (n % 50 == 0) {
        std::fprintf(stderr, "%s", "");
        std::fprintf(stderr, "depth %ld\r", n);
    }
    return call(prints_at_depth, n - 1).then([](long below) { return below + 1; });
}

TEST_P(methods, may_print_wherever_they_are) {
    lazult::thread([] { EXPECT_EQ(run(prints_at_depth, 3000L), 3000); }).join();
}

// --- what is counted

TEST(method_counts, no_context_is_made_where_nothing_blocks) {
    const lazult::runtime running;
    const method_counters before = count_methods();
    EXPECT_EQ(run(fib, 20L), 6765);
    EXPECT_EQ(run(chain, 1000L), 7);
    const method_counters after = count_methods();
    EXPECT_EQ(after.contexts, before.contexts);
    EXPECT_EQ(after.restarts, before.restarts);
}

TEST(method_counts, each_context_is_run_once) {
    const lazult::runtime running;
    detail::block_every(3);
    const method_counters before = count_methods();
    EXPECT_EQ(run(fib, 16L), 987);
    const method_counters after = count_methods();
    detail::block_every(0);
    EXPECT_GT(after.heap_calls, before.heap_calls);
    EXPECT_GT(after.fallbacks, before.fallbacks);
    EXPECT_EQ(after.restarts - before.restarts, after.contexts - before.contexts);
}

// A count enters each strand, and must not swallow what was left there meanwhile.
TEST(method_counts, may_be_asked_while_results_come_from_outside) {
    const lazult::runtime running(lazult::options{.streams = 3});
    std::atomic<bool> is_over{false};
    lazult::thread counting([&] {
        while (!is_over) {
            count_methods();
            this_thread::yield();
        }
    });
    for (int i = 0; i < 500; ++i) {
        lazult::thread waiting([] { EXPECT_EQ(run(waits_for_it, 5L), 5'042'005); });
        await_kept().resolve(42);
        waiting.join();
    }
    is_over = true;
    counting.join();
}

// --- misuse

outcome<long> forgets_given(caller<long> by) {
    by.take().resolve(1);
    return 2L;
}
outcome<long> calls_one_that_forgets() {
    return all(call(forgets_given), call(keeps_its_continuation)).then([](long a, long b) {
        return a + b;
    });
}
outcome<long> runs_another() { return run(fib, 3L); }
outcome<long> suspends() {
    this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0L;
}

outcome<long> gives_without_taking(caller<long> by) { return by.given(); }
outcome<long> takes_twice(caller<long> by) {
    by.take();
    by.take();
    return by.given();
}
outcome<long> takes_and_throws(caller<long> by) {
    by.take();
    throw std::runtime_error("after take()");
}
outcome<long> counts_inside() { return static_cast<long>(count_methods().contexts); }

using methods_death = testing::Test;

void expect_refused(const char* words, outcome<long> (*method)(caller<long>)) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    for (const unsigned every : {0U, 1U}) {
        EXPECT_DEATH(
            {
                detail::block_every(every);
                run(method);
            },
            words);
    }
}

TEST_F(methods_death, a_method_gives_what_it_has_not_taken) {
    expect_refused("return given\\(\\) after take\\(\\)", gives_without_taking);
}
TEST_F(methods_death, a_method_takes_twice) { expect_refused("take it once", takes_twice); }
TEST_F(methods_death, a_method_throws_after_it_took) {
    expect_refused("throw nothing in between", takes_and_throws);
}
TEST_F(methods_death, a_method_returns_a_value_after_it_took) {
    expect_refused("return given\\(\\) after take\\(\\)", forgets_given);
}
TEST_F(methods_death, a_method_returns_a_value_after_it_took_and_the_next_throws) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    const auto both = []() -> outcome<long> {
        return all(call(forgets_given), call([]() -> long { throw std::runtime_error("next"); }))
            .then([](long a, long b) { return a + b; });
    };
    EXPECT_DEATH(run(both), "return given\\(\\) after take\\(\\)");
}
TEST_F(methods_death, a_method_counts) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(run(counts_inside), "count when run\\(\\) has returned");
}
// A coroutine that is dropped at once has no frame where clang optimises, and needs no context.
void keep_for_a_while(const task<long>& kept) { asm volatile("" : : "r"(&kept) : "memory"); }
TEST_F(methods_death, a_coroutine_is_called_outside) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(keep_for_a_while(fib_by_coroutine(5)), "begin by concert::run\\(\\)");
}
TEST_F(methods_death, a_continuation_fails_by_no_exception) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(continuation<long>().fail(nullptr), "give one, or resolve\\(\\) it");
}

TEST_F(methods_death, a_continuation_is_used_twice) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(
        {
            lazult::thread waiting([] { run(waits_for_it, 5L); });
            const continuation<long> mine = await_kept();
            mine.resolve(1);
            waiting.join();
            mine.resolve(2);
            std::this_thread::sleep_for(std::chrono::seconds(20));
        },
        "continuation: the method that waited for it has ended; use each continuation once");
}

TEST_F(methods_death, a_method_forgets_that_it_took_its_continuation) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(run(calls_one_that_forgets), "return given\\(\\) after take\\(\\)");
}

TEST_F(methods_death, a_method_is_called_outside) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(static_cast<void>(fib(5)), "begin by concert::run\\(\\)");
}

TEST_F(methods_death, a_method_runs_another) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(run(runs_another), "call methods of a method by concert::call\\(\\)");
}

TEST(method_misuse, a_method_that_suspends_fails) {
    const lazult::runtime running;
    lazult::thread caller([] {
        try {
            run(suspends);
            ADD_FAILURE() << "it suspended";
        } catch (const error& e) {
            EXPECT_EQ(e.code(), errc::cannot_suspend);
        }
    });
    caller.join();
}

}  // namespace
}  // namespace lazult::concert
