// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/parallel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <lazult/statistics.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>

namespace {

using lazult::chunking;

class every_chunking : public testing::TestWithParam<chunking> {};

TEST_P(every_chunking, covers_everything_once) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 100U, 1001U}) {
        std::vector<std::atomic<int>> hits(count);
        lazult::parallel_for(std::size_t{0}, count, [&](std::size_t i) { ++hits[i]; }, GetParam());
        for (const auto& h : hits) {
            EXPECT_EQ(h, 1);
        }
    }
}

TEST_P(every_chunking, ranges_and_iterators) {
    std::vector<int> values(500);
    std::iota(values.begin(), values.end(), 0);
    lazult::parallel_for(values, [](int& v) { v *= 2; }, GetParam());
    lazult::parallel_for(values.begin(), values.end(), [](int& v) { ++v; }, GetParam());
    for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(values[static_cast<std::size_t>(i)], 2 * i + 1);
    }
}

std::atomic<int> called;
void count_call(int) { ++called; }

// One object is the body of all iterations: what it holds guards them all, and its operator is the
// one that its caller sees.
class body_with_state {
public:
    void operator()(int) const { ++wrong; }
    void operator()(int i) {
        ++right;
        marks[i] = 1;
    }
    mutable std::atomic<int> wrong{0};
    std::atomic<int> right{0};
    int marks[8] = {};
};

TEST_P(every_chunking, calls_the_body_that_it_was_given) {
    called = 0;
    lazult::parallel_for(0, 8, count_call, GetParam());
    EXPECT_EQ(called, 8);
    body_with_state body;
    lazult::parallel_for(0, 8, body, GetParam());
    EXPECT_EQ(body.wrong, 0);
    EXPECT_EQ(body.right, 8);
    EXPECT_EQ(std::accumulate(std::begin(body.marks), std::end(body.marks), 0), 8);
}

TEST_P(every_chunking, counts_in_any_type) {
    std::atomic<int> hits{0};
    lazult::parallel_for(false, true, [&](bool) { ++hits; }, GetParam());
    lazult::parallel_for(
        std::numeric_limits<signed char>::min(), std::numeric_limits<signed char>::max(),
        [&](signed char) { ++hits; }, GetParam());
    lazult::parallel_for(
        std::numeric_limits<unsigned long>::max() - 4, std::numeric_limits<unsigned long>::max(),
        [&](unsigned long) { ++hits; }, GetParam());
    EXPECT_EQ(hits, 1 + 255 + 4);
}

TEST_P(every_chunking, reduces) {
    const long sum = lazult::parallel_reduce(
        1, 1001, 0L, [](int i) { return long{i}; }, std::plus<>(), GetParam());
    EXPECT_EQ(sum, 500500);
    std::vector<std::string> words{"a", "bb", "ccc"};
    const std::size_t letters = lazult::parallel_reduce(
        words, std::size_t{0}, [](const std::string& w) { return w.size(); }, std::plus<>(),
        GetParam());
    EXPECT_EQ(letters, 6U);
    EXPECT_EQ(
        lazult::parallel_reduce(5, 5, 9, [](int i) { return i; }, std::plus<>(), GetParam()), 9);
}

TEST_P(every_chunking, rethrows) {
    EXPECT_THROW(lazult::parallel_for(
                     0, 1000,
                     [](int i) {
                         if (i == 500) {
                             throw std::runtime_error("in the middle");
                         }
                     },
                     GetParam()),
                 std::runtime_error);
    EXPECT_THROW(lazult::parallel_for(0, 1000, [](int i) { throw i; }, GetParam()), int);
}

TEST_P(every_chunking, bodies_suspend) {
    std::atomic<int> sum{0};
    lazult::parallel_for(
        0, 200,
        [&](int i) {
            lazult::this_thread::yield();
            sum += i;
        },
        GetParam());
    EXPECT_EQ(sum, 19900);
}

TEST_P(every_chunking, nests) {
    std::atomic<int> sum{0};
    lazult::parallel_for(
        0, 10, [&](int) { lazult::parallel_for(0, 10, [&](int) { ++sum; }, GetParam()); },
        GetParam());
    EXPECT_EQ(sum, 100);
}

// What it holds is changed by its calls: so they must be calls of that very object.
TEST_P(every_chunking, does_not_copy_a_body_that_its_calls_change) {
    std::vector<char> seen(100);
    std::atomic<const void*> body{nullptr};
    std::atomic<int> others{0};
    auto mutable_body = [&, calls = 0](int i) mutable {
        std::atomic_ref(calls).fetch_add(1);
        seen[static_cast<std::size_t>(i)] = 1;
        const void* before = nullptr;
        if (!body.compare_exchange_strong(before, &calls) && before != &calls) {
            ++others;
        }
    };
    static_assert(!lazult::detail::is_copied_in_loop<decltype(mutable_body), int>);
    lazult::parallel_for(0, 100, mutable_body, GetParam());
    EXPECT_EQ(others, 0);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 100);
}

TEST(parallel_for, copies_small_bodies_that_their_calls_do_not_change) {
    int* data = nullptr;
    const auto plain = [=](int i) { data[i] = i; };
    const auto generic = [=](auto i) { data[i] = i; };
    const std::array<char, 65> room{};
    const auto larger = [=](int i) { data[i] = room[0]; };
    struct counting {
        mutable int calls = 0;
        void operator()(int) const { ++calls; }
    };
    struct overloaded {
        void operator()(int) {}
        void operator()(int) const {}
    };
    static_assert(lazult::detail::is_copied_in_loop<std::remove_const_t<decltype(plain)>, int>);
    static_assert(lazult::detail::is_copied_in_loop<std::remove_const_t<decltype(generic)>, int>);
    const auto combine = [=](int a, int b) { return data[0] + a + b; };
    static_assert(
        lazult::detail::is_copied_in_loop<std::remove_const_t<decltype(combine)>, int, int>);
    static_assert(!lazult::detail::is_copied_in_loop<std::remove_const_t<decltype(larger)>, int>);
    static_assert(!lazult::detail::is_copied_in_loop<counting, int>);
    static_assert(!lazult::detail::is_copied_in_loop<overloaded, int>);
    static_assert(!lazult::detail::is_copied_in_loop<body_with_state, int>);
}

int& as_lvalue(int& element) { return element; }

// Whether they may be copied is not to be asked with types that they are never called with.
TEST(parallel_for, takes_generic_bodies_that_suit_its_elements_alone) {
    std::vector<int> values(100);
    const int one = 1;
    lazult::parallel_for(values, [=](auto&& v) { as_lvalue(std::forward<decltype(v)>(v)) += one; });
    std::vector<std::vector<double>> rows(100, std::vector<double>(1));
    lazult::parallel_for(rows, [=]<class T>(std::vector<T>& row) { row[0] += one; });
    const int all = lazult::parallel_reduce(
        values, 0, [=](auto&& v) { return as_lvalue(std::forward<decltype(v)>(v)) * one; },
        [](auto a, auto b) { return a + b; });
    EXPECT_EQ(all, 100);
    EXPECT_EQ(rows[99][0], 1.0);
}

INSTANTIATE_TEST_SUITE_P(parallel, every_chunking,
                         testing::Values(chunking{}, lazult::static_chunks(7),
                                         lazult::static_chunks(100000), lazult::dynamic_chunks(),
                                         lazult::dynamic_chunks(16), lazult::dynamic_chunks(0),
                                         lazult::guided_chunks(), lazult::guided_chunks(8)));

TEST(parallel_for, negative_and_extreme_indices) {
    std::atomic<long> sum{0};
    lazult::parallel_for(-5, 6, [&](int i) { sum += i; });
    EXPECT_EQ(sum, 0);
    lazult::parallel_for(5, -5, [&](int) { sum = 99; });
    EXPECT_EQ(sum, 0);
    constexpr long most = std::numeric_limits<long>::max();
    lazult::parallel_for(most - 3, most, [&](long i) { sum += most - i; });
    EXPECT_EQ(sum, 6);
    std::atomic<unsigned> bytes{0};
    lazult::parallel_for(std::uint8_t{250}, std::uint8_t{255}, [&](std::uint8_t i) { bytes += i; });
    EXPECT_EQ(bytes, 250U + 251 + 252 + 253 + 254);
}

// Where a worker has the whole loop to itself nothing is created for it.
TEST(parallel_for, of_a_single_iteration_makes_no_unit) {
    const lazult::statistics_snapshot before = lazult::statistics();
    int calls = 0;
    lazult::parallel_for(0, 1, [&](int) { ++calls; });
    EXPECT_EQ(lazult::parallel_reduce(3, 4, 1, [](int i) { return i; }, std::plus<>()), 4);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(lazult::statistics().created, before.created);
}

TEST(parallel_reduce, static_order_is_kept) {
    const std::string text = lazult::parallel_reduce(
        0, 26, std::string(), [](int i) { return std::string(1, static_cast<char>('a' + i)); },
        std::plus<>());
    EXPECT_EQ(text, "abcdefghijklmnopqrstuvwxyz");
}

TEST(parallel_invoke, calls_all) {
    int a = 0;
    int b = 0;
    int c = 0;
    lazult::parallel_invoke([&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
    EXPECT_EQ(a + b + c, 6);
    EXPECT_THROW(lazult::parallel_invoke([] { throw 1; }, [] {}), int);
    EXPECT_THROW(lazult::parallel_invoke([] {}, [] { throw 1; }), int);
}

TEST(parallel_for, from_an_outside_os_thread) {
    std::atomic<int> sum{0};
    std::thread([&] {
        lazult::parallel_for(0, 100, [&](int i) { sum += i; }, lazult::dynamic_chunks());
    }).join();
    EXPECT_EQ(sum, 4950);
}

}  // namespace
