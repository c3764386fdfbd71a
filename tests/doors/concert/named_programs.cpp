// SPDX-License-Identifier: BSD-3-Clause
// The programs by which multithreaded runtimes are known, over all ranks: fib, the queens, a chain
// of methods that pass their continuation on, and a loop that waits for very many calls. Each runs
// with calls that begin on the stack and with every n-th one forced into a context.
#include "tests/doors/concert/harness.hpp"

#include <lazult_concert_objects.hpp>

#include <cstdint>
#include <functional>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

int rank_of(long number) { return static_cast<int>(number % concert_size()); }

constexpr long fib_of_leaf = 8;  // below it, all calls stay where they are

outcome<long> fib(long n) {
    if (n < 2) {
        return n;
    }
    const auto add = [](long a, long b) { return a + b; };
    if (n < fib_of_leaf) {
        return all(call(fib, n - 1), call(fib, n - 2)).then(add);
    }
    return all(call(on(rank_of(n)), fib, n - 1), call(on(rank_of(n + 1)), fib, n - 2)).then(add);
}

struct board {
    std::uint32_t columns = 0;
    std::uint32_t rising = 0;
    std::uint32_t falling = 0;
    std::uint32_t row = 0;

    bool is_free(std::uint32_t column) const {
        return ((columns >> column) & 1) == 0 && ((rising >> (row + column)) & 1) == 0 &&
               ((falling >> (row + size - 1 - column)) & 1) == 0;
    }
    board with(std::uint32_t column) const {
        return {columns | 1U << column, rising | 1U << (row + column),
                falling | 1U << (row + size - 1 - column), row + 1};
    }
    static constexpr std::uint32_t size = 8;
};
constexpr long solutions = 92;

// The boards of the first two rows go to other ranks.
outcome<long> place_queen(std::int64_t column, board on_it);
outcome<long> queens(board b) {
    if (b.row == board::size) {
        return 1L;
    }
    return concert::combine(0, std::int64_t{board::size}, 0L, std::plus<>(), place_queen, b);
}
outcome<long> place_queen(std::int64_t column, board on_it) {
    const auto at = static_cast<std::uint32_t>(column);
    if (!on_it.is_free(at)) {
        return 0L;
    }
    const board next = on_it.with(at);
    if (next.row <= 2) {
        return call(on(rank_of(column)), queens, next);
    }
    return call(queens, next);
}

// Passes its continuation on, and goes to the next rank once in so many steps.
constexpr long steps_on_a_rank = 1000;
outcome<long> chain(caller<long> by, long left, long sum) {
    if (left == 0) {
        return sum;
    }
    if (left % steps_on_a_rank == 0) {
        return by.pass_to(on(rank_of(left / steps_on_a_rank)), chain, left - 1, sum + 1);
    }
    return by.pass_to(chain, left - 1, sum + 1);
}

// A call that blocks: the other rank answers.
long square(long n) { return n * n; }
outcome<long> square_elsewhere(std::int64_t i) {
    return call(on(rank_of(static_cast<long>(i) + 1)), square, static_cast<long>(i));
}
outcome<long> sum_of_squares(long count) {
    return concert::combine(0, std::int64_t{count}, 0L, std::plus<>(), square_elsewhere);
}

void run_programs(unsigned every) {
    // Each forced call makes a context, and far ranks are slow.
    const long length = every == 0 ? 1'000'000 : 100'000;
    const long squares = every == 0 ? 100'000 : 2'000;
    lazult::testing::doing() = "a context for every call of " + std::to_string(every);
    CHECK(run(fib, 16L) == 987);
    CHECK(run(queens, board{}) == solutions);
    CHECK(run(chain, length, 0L) == length);
    CHECK(run(sum_of_squares, squares) == (squares - 1) * squares * (2 * squares - 1) / 6);
}

// Each way in which a call can begin, move to a context or be served has been taken on this rank.
void check_counts() {
    const concert::method_counters counted = concert::count_methods();
    CHECK(counted.heap_calls > 0);
    CHECK(counted.contexts >= counted.heap_calls);
    CHECK(counted.restarts > 0);
    CHECK(counted.fallbacks > 0);
    if (concert_size() > 1) {
        CHECK(counted.sent_calls > 0);
        CHECK(counted.served > 0);
        CHECK(counted.served_later > 0);
    }
}

}  // namespace

int main() {
    concert::session world;
    for (const unsigned every : {0U, 1U, 3U}) {
        concert::detail::block_every(every);
        world.quiesce();
        if (world.rank() == 0) {
            run_programs(every);
        }
        world.quiesce();
    }
    check_counts();
    lazult::testing::passed("named_programs");
}
