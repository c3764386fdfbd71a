// SPDX-License-Identifier: BSD-3-Clause
// Random trees of calls over all ranks: plain calls, groups, loops, coroutines, calls of objects
// that write and that read, continuations that are handed on and that other ranks resolve,
// exceptions. Which of them a node is depends on its number alone. So a recursion without any
// threads knows what must come out.
//
// usage: random_calls [SEED [TREES]]    (the seed is printed where a tree is wrong)
#include "tests/doors/concert/harness.hpp"

#include <lazult_concert_objects.hpp>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::global_array;
using concert::on;
using concert::outcome;
using concert::run;
using concert::task;

namespace {

using number = std::uint64_t;

number scrambled(number n) {
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9;
    n = (n ^ (n >> 27)) * 0x94d049bb133111eb;
    return n ^ (n >> 31);
}

enum class kind : unsigned {
    leaf,
    pair,
    elsewhere,
    write,
    read,
    answer,
    loop,
    pass,
    steps,
    thrown
};
constexpr unsigned kinds = 10;

struct node {
    number seed;
    int depth;

    kind what() const {
        return depth == 0 ? kind::leaf : static_cast<kind>(scrambled(seed) % kinds);
    }
    number value() const { return scrambled(seed + 1) >> 8; }
    int rank() const {
        return static_cast<int>(scrambled(seed + 2) % static_cast<unsigned>(concert_size()));
    }
    node child(number i) const { return {scrambled(seed + 10 + i), depth - 1}; }
};

constexpr number children_of_loop = 3;

// What a tree gives without any threads; `writes` counts its calls that write.
number expected(const node& n, number& writes) {
    switch (n.what()) {
        case kind::leaf: return n.value();
        case kind::pair: return expected(n.child(0), writes) ^ expected(n.child(1), writes);
        case kind::loop: {
            number sum = 0;
            for (number i = 0; i < children_of_loop; ++i) {
                sum += expected(n.child(i), writes);
            }
            return sum;
        }
        case kind::steps: {
            const number first = expected(n.child(0), writes);
            return first + 3 * expected(n.child(1 + first % 2), writes);
        }
        case kind::write: ++writes; return expected(n.child(0), writes) + 1;
        case kind::read: return expected(n.child(0), writes) + 2;
        case kind::elsewhere:
        case kind::answer:
        case kind::pass: return expected(n.child(0), writes);
        case kind::thrown: return n.value() + 7;
    }
    std::abort();
}

outcome<number> visit(node n);

struct cell {
    long writes = 0;
    int inside = 0;

    // While it waits for the rest of the tree, nobody else may be inside.
    outcome<number> write(node rest) {
        CHECK(inside == 0);
        ++inside;
        ++writes;
        return call(leaf_elsewhere, rest).keep(this).then([](cell* self, number v) {
            CHECK(self->inside == 1);
            --self->inside;
            return v;
        });
    }
    outcome<number> read(node rest) const {
        CHECK(inside == 0);
        return call(leaf_elsewhere, rest).keep(this).then([](const cell* self, number v) {
            CHECK(self->inside == 0);
            return v;
        });
    }
    long count() const { return writes; }

    static number value_of(node n) { return n.value(); }
    static outcome<number> leaf_elsewhere(node n) { return call(on(n.rank()), value_of, n); }
};

// Each rank is told of it.
global_array<cell> cells;
void know_cells(global_array<cell> all_cells) { cells = all_cells; }

outcome<number> child_of(std::int64_t i, node n) {
    return call(visit, n.child(static_cast<number>(i)));
}

void answer_for(concert::continuation<number> to, number value) { to.resolve(value); }
// The rank that has computed the value does not send it back: the next one resolves.
outcome<number> answered(caller<number> by, node n) {
    const concert::continuation<number> to = by.take();
    static_cast<void>(
        outcome<void>(call(visit, n.child(0))
                          .keep(to, n)
                          .then([](concert::continuation<number> where, node of, number v) {
                              return call(on(of.rank()), answer_for, where, v);
                          })));
    return by.given();
}
outcome<number> passed_on(caller<number> by, node n) {
    return by.pass_to(on(n.rank()), visit, n.child(0));
}
task<number> in_steps(node n) {
    const number first = co_await call(visit, n.child(0));
    co_return first + 3 * co_await call(visit, n.child(1 + first % 2));
}
number throws(node n) { throw std::runtime_error(std::to_string(n.value())); }
task<number> catches(node n) {
    number caught = 0;
    try {
        caught = co_await call(on(n.rank()), throws, n);
    } catch (const std::exception& e) {
        const std::string words = e.what();  // "rank 1: 12345" from another rank
        const std::size_t at = words.rfind(' ');
        caught = std::stoull(at == std::string::npos ? words : words.substr(at + 1)) + 7;
    }
    co_return caught;
}

// The rest of a tree below an object's method, which stays a leaf: two methods that are inside
// objects and wait for further objects could wait for each other.
outcome<number> with_object(node n, bool writes) {
    const auto of = cells[scrambled(n.seed + 3) % cells.size()];
    const node rest{scrambled(n.seed + 10), 0};
    const auto below = [](node m) -> outcome<number> { return call(visit, m); };
    if (writes) {
        return all(call(&cell::write, of, rest), call(below, n.child(0)))
            .then([](number, number v) { return v + 1; });
    }
    return all(call(&cell::read, of, rest), call(below, n.child(0))).then([](number, number v) {
        return v + 2;
    });
}

outcome<number> visit(node n) {
    switch (n.what()) {
        case kind::leaf: return n.value();
        case kind::pair:
            return all(call(visit, n.child(0)), call(visit, n.child(1)))
                .then([](number a, number b) { return a ^ b; });
        case kind::elsewhere: return call(on(n.rank()), visit, n.child(0));
        case kind::write: return call(with_object, n, true);
        case kind::read: return call(with_object, n, false);
        case kind::answer: return call(answered, n);
        case kind::loop:
            return concert::combine(0, static_cast<std::int64_t>(children_of_loop), number{0},
                                    std::plus<>(), child_of, n);
        case kind::pass: return call(passed_on, n);
        case kind::steps: return call(in_steps, n);
        case kind::thrown: return call(catches, n);
    }
    std::abort();
}

outcome<long> writes_of(std::int64_t i) {
    return call(&cell::count, cells[static_cast<number>(i)]);
}
long all_writes() {
    return run([] {
        return concert::combine(0, static_cast<std::int64_t>(cells.size()), 0L, std::plus<>(),
                                writes_of);
    });
}

outcome<void> tell(std::int64_t rank, global_array<cell> all_cells) {
    return call(on(static_cast<int>(rank)), know_cells, all_cells);
}

}  // namespace

int main(int argc, char** argv) {
    const number seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    const number trees = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 40;
    concert::session world;
    for (const unsigned every : {0U, 1U, 2U, 5U}) {
        concert::detail::block_every(every);
        world.quiesce();
        if (world.rank() == 0) {
            const auto made = run(concert::create_array<cell>, number{7}, concert::spread::cyclic);
            run([](global_array<cell> c) { return concert::each(0, concert_size(), tell, c); },
                made);
            number writes = 0;
            for (number i = 0; i < trees; ++i) {
                const node root{scrambled(seed * 1000 + i), 9};
                lazult::testing::doing() = "seed " + std::to_string(seed) + ", tree " +
                                           std::to_string(i) + ", every " + std::to_string(every);
                CHECK(run(visit, root) == expected(root, writes));
            }
            CHECK(static_cast<number>(all_writes()) == writes);
            CHECK(writes > 0);
            run(concert::destroy_array, made);
        }
        world.quiesce();
    }
    lazult::testing::passed("random_calls");
}
