// SPDX-License-Identifier: BSD-3-Clause
// Objects on all ranks: their methods are called from every rank, block, throw, wait for each
// other, hand their continuations to other ranks, and end.
#include "tests/doors/concert/harness.hpp"

#include <lazult_concert_objects.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::create;
using concert::global_ptr;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

outcome<long> fib(long n) {
    if (n < 2) {
        return n;
    }
    return all(call(fib, n - 1), call(fib, n - 2)).then([](long a, long b) { return a + b; });
}

long plain_fib(long n) { return n < 2 ? n : plain_fib(n - 1) + plain_fib(n - 2); }

int next_rank(int rank) { return (rank + 1) % concert_size(); }

// Every call of a deep part goes to the next rank.
outcome<long> spread_fib(int rank, long n) {
    if (n < 2) {
        return n;
    }
    if (n < 12) {
        return call(fib, n);
    }
    return all(call(on(next_rank(rank)), spread_fib, next_rank(rank), n - 1),
               call(spread_fib, rank, n - 2))
        .then([](long a, long b) { return a + b; });
}

struct named {
    explicit named(std::string n) : name(std::move(n)) {}
    virtual ~named() = default;
    virtual std::string greet(std::string whom) const { return name + " greets " + whom; }
    std::string name;
};

struct loud : named {
    explicit loud(std::string n) : named(std::move(n)) {}
    std::string greet(std::string whom) const override { return named::greet(whom) + "!"; }
};

struct counter {
    long sum = 0;

    long add(long n) { return sum += n; }
    long value() const { return sum; }
    void fail(std::string why) { throw std::runtime_error(why); }

    // Between its two halves other methods would see an odd number.
    outcome<void> add_twice(global_ptr<counter> from) {
        ++sum;
        return call(&counter::value, from).keep(this).then([](counter* self, long) {
            ++self->sum;
        });
    }
    // Goes over another rank, and comes back to this object while this method is inside.
    outcome<long> add_by_itself(long n) {
        return call(&counter::add, concert::name_of(*this), n)
            .keep(this)
            .then([](counter* self, long) {
                return call(&counter::add, concert::name_of(*self), 1L);
            });
    }
};

// Gives nothing until someone has put something in.
struct mailbox {
    std::vector<concert::continuation<std::string>> waiting;
    std::vector<std::string> letters;

    outcome<std::string> take(caller<std::string> by) {
        if (!letters.empty()) {
            std::string first = std::move(letters.front());
            letters.erase(letters.begin());
            return first;
        }
        waiting.push_back(by.take());
        return by.given();
    }
    void put(std::string letter) {
        if (waiting.empty()) {
            letters.push_back(std::move(letter));
            return;
        }
        const concert::continuation<std::string> first = waiting.front();
        waiting.erase(waiting.begin());
        first.resolve(std::move(letter));
    }
};

// Answers for whoever it is handed a continuation by.
struct answerer {
    void answer(concert::continuation<long> to, long value) { to.resolve(value); }
    outcome<long> forward(caller<long> by, global_ptr<answerer> next, long left) {
        if (left == 0) {
            return 42;
        }
        return by.pass_to(&answerer::forward, next, concert::name_of(*this), left - 1);
    }
};

outcome<long> ask_elsewhere(caller<long> by, global_ptr<answerer> who, long value) {
    const concert::continuation<long> to = by.take();
    static_cast<void>(outcome<void>(call(&answerer::answer, who, to, value)));
    return by.given();
}

using every_type = std::tuple<std::vector<std::string>, std::optional<std::pair<int, std::string>>,
                              std::vector<bool>, std::vector<std::uint16_t>>;

every_type turned_round(every_type all) {
    std::reverse(std::get<0>(all).begin(), std::get<0>(all).end());
    std::get<1>(all)->first *= 2;
    std::get<2>(all).flip();
    std::get<3>(all).push_back(7);
    return all;
}

long twice(long n) { return 2 * n; }
long applied(long (*function)(long), long n) { return function(n); }

outcome<void> add_one(std::int64_t, global_ptr<counter> to) {
    return call(&counter::add, to, 1L).then([](long) {});
}
outcome<void> add_many(global_ptr<counter> to, long count) {
    return concert::each(0, count, add_one, to);
}
outcome<void> add_two(std::int64_t, global_ptr<counter> to, global_ptr<counter> from) {
    return call(&counter::add_twice, to, from);
}
outcome<void> see_even(std::int64_t, global_ptr<counter> of) {
    return call(&counter::value, of).then([](long n) { CHECK(n % 2 == 0); });
}
outcome<void> mix(global_ptr<counter> of, global_ptr<counter> other, long count) {
    return all(call([](global_ptr<counter> a, global_ptr<counter> b,
                       long n) { return concert::each(0, n, add_two, a, b); },
                    of, other, count),
               call([](global_ptr<counter> a, long n) { return concert::each(0, n, see_even, a); },
                    of, count))
        .then([] {});
}

template <class E, class Call>
void fails(const char* words, Call&& call) {
    try {
        call();
    } catch (const E& e) {
        if (std::string(e.what()).find(words) == std::string::npos) {
            std::fprintf(stderr, "unexpected words: %s\n", e.what());
            CHECK(false);
        }
        return;
    }
    CHECK(false);
}

void use_counters_on(int there) {
    const auto c = run(on(there), create<counter>);
    CHECK(c.rank() == there);
    CHECK(run(&counter::add, c, 5L) == 5);
    CHECK(run(&counter::value, c) == 5);
    run(add_many, c, 100L);
    CHECK(run(&counter::value, c) == 105);
    run(&counter::add, c, 1L);

    const auto other = run(on(next_rank(there)), create<counter>);
    run(mix, c, other, 50L);
    CHECK(run(&counter::value, c) == 106 + 2 * 50);
    CHECK(run(&counter::add_by_itself, c, 3L) == 106 + 100 + 4);
    fails<std::runtime_error>("on purpose",
                              [&] { run(&counter::fail, c, std::string("on purpose")); });
    run(concert::destroy, c);
    run(concert::destroy, other);
    if (there == concert_rank()) {
        fails<lazult::error>("it was destroyed", [&] { run(&counter::value, c); });
    } else {
        fails<concert::remote_error>("it was destroyed", [&] { run(&counter::value, c); });
    }
}

void use_continuations_on(int there) {
    const auto box = run(on(there), create<mailbox>);
    run(&mailbox::put, box, std::string("first"));
    CHECK(run(&mailbox::take, box) == "first");
    const auto both = [](global_ptr<mailbox> b) {
        return all(call(&mailbox::take, b), call(&mailbox::take, b),
                   call(&mailbox::put, b, std::string(500, 'x')),
                   call(&mailbox::put, b, std::string("z")))
            .then([](std::string x, std::string z) { return x.size() + z.size(); });
    };
    CHECK(run(both, box) == 501);  // in whichever order the calls were made

    const auto who = run(on(there), create<answerer>);
    const auto next = run(on(concert_rank()), create<answerer>);
    CHECK(run(ask_elsewhere, who, 17L) == 17);
    CHECK(run(&answerer::forward, who, next, 100L) == 42);
    run(concert::destroy, box);
    run(concert::destroy, who);
    run(concert::destroy, next);
}

void fail_at_length(std::size_t n) { throw std::runtime_error(std::string(n, 'z')); }

// The exception of a method comes over two ranks. The thread in between waits for it, because the
// continuation of a call that is returned as it is would lead back at once.
outcome<long> fail_behind(int rank) {
    const auto fails = [](long) -> long {
        throw lazult::error(lazult::errc::freed_handle, "thing", "it is gone", "do not ask");
    };
    return call(on(rank), fails, 1L).then([](long n) { return n; });
}

std::string so_many_letters(std::size_t n) { return std::string(n, 'y'); }

void send_values_to(int there) {
    every_type sent({"a", "bc", std::string(3000, 'd')}, std::pair<int, std::string>(3, "three"),
                    {true, false}, {1, 2});
    CHECK(run(on(there), turned_round, sent) == turned_round(sent));
    CHECK(run(on(there), applied, twice, 21L) == 42);

    const auto someone = run(on(there), create<loud>, std::string("Ada"));
    CHECK(run(&named::greet, someone, std::string("all")) == "Ada greets all!");
    run(concert::destroy, someone);

    fails<lazult::error>("it is null", [&] { run(&counter::value, global_ptr<counter>()); });
    fails<lazult::error>("there is no rank", [&] { run(on(concert_size()), twice, 1L); });
    if (there != concert_rank()) {
        constexpr std::size_t too_many = 1 << 20;
        std::get<0>(sent).emplace_back(too_many, 'l');
        fails<lazult::error>("is longer than", [&] { run(on(there), turned_round, sent); });
        fails<concert::remote_error>("zzz", [&] { run(on(there), fail_at_length, too_many); });
        try {
            run(on(there), fail_behind, concert_rank());
            CHECK(false);
        } catch (const concert::remote_error& e) {
            CHECK(e.code() == lazult::errc::freed_handle);
        }
        fails<concert::remote_error>("is longer than",
                                     [&] { run(on(there), so_many_letters, too_many); });
    }
}

// A value that nobody waits for: quiescence does.
void leave_work_behind(concert::session& world) {
    world.quiesce();
    const auto c = run(on(next_rank(world.rank())), create<counter>);
    run(
        [](global_ptr<counter> to) {
            for (int i = 0; i < 20; ++i) {
                static_cast<void>(outcome<void>(call(add_many, to, 10L)));
            }
        },
        c);
    world.quiesce();
    CHECK(run(&counter::value, c) == 200);
    run(concert::destroy, c);
}

}  // namespace

int main() {
    concert::session world;
    for (const unsigned every : {0U, 1U, 3U}) {
        lazult::testing::doing() = "every " + std::to_string(every);
        concert::detail::block_every(every);
        for (int away = 0; away < world.size(); ++away) {
            const int there = (world.rank() + away) % world.size();
            use_counters_on(there);
            use_continuations_on(there);
            send_values_to(there);
        }
        world.quiesce();
        if (world.rank() == 0) {
            CHECK(run(spread_fib, 0, 22L) == plain_fib(22));
        }
        world.quiesce();
        leave_work_behind(world);
        world.quiesce();
    }
    lazult::testing::passed("objects");
}
