// SPDX-License-Identifier: BSD-3-Clause
// Objects in the strands of one process: who is inside, in which order the others follow, and what
// becomes of names.
#include <lazult_concert_objects.hpp>

#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::create;
using concert::global_ptr;
using concert::outcome;
using concert::run;

// Every test runs with calls that stay on the stack, and with calls that do not.
class objects : public testing::TestWithParam<unsigned> {
protected:
    objects() { concert::detail::block_every(GetParam()); }
    ~objects() override {
        concert::detail::block_every(0);
        EXPECT_EQ(alive, 0) << "a test left objects";
    }

public:
    static inline int alive = 0;
};

INSTANTIATE_TEST_SUITE_P(blocked, objects, testing::Values(0U, 1U, 2U, 3U, 5U));

// The first letters of what happened.
std::string log_of_test;
concert::continuation<void> gate;

struct account {
    account() { ++objects::alive; }
    ~account() { --objects::alive; }
    account(const account&) = delete;

    long sum = 0;

    long add(long n) { return sum += n; }
    long value() const { return sum; }
    long fails(long) { throw std::runtime_error("on purpose"); }

    // Until someone opens the gate, this method is inside.
    static outcome<void> wait_at_gate(caller<void> by) {
        gate = by.take();
        return by.given();
    }
    outcome<long> add_at_gate(long n) {
        sum += n;
        log_of_test += "g";
        return call(wait_at_gate).keep(this).then([](account* self) {
            log_of_test += "o";
            return self->sum;
        });
    }
    outcome<long> fail_at_gate() {
        return call(wait_at_gate).then([]() -> outcome<long> {
            throw std::runtime_error("behind the gate");
        });
    }
    outcome<long> read_at_gate() const {
        log_of_test += "G";
        return call(wait_at_gate).keep(this).then([](const account* self) {
            log_of_test += "O";
            return self->sum;
        });
    }
    long write(char as) {
        log_of_test += as;
        return ++sum;
    }
    long read(char as) const {
        log_of_test += as;
        return sum;
    }
    outcome<long> read_and_write() const {
        log_of_test += "b";
        return call(&account::add, concert::name_of(*this), 1L);
    }
    // Inside itself, over a plain call, over a call that blocks.
    outcome<long> add_again(long n) {
        return call(&account::add, concert::name_of(*this), n)
            .keep(this, n)
            .then([](account* self, long m, long) {
                return call(&account::add_late, concert::name_of(*self), m);
            });
    }
    outcome<long> add_late(long n) {
        return call(account::nothing).keep(this, n).then([](account* self, long m) {
            return call(&account::add, concert::name_of(*self), m);
        });
    }
    static void nothing() {}

    // Looked at inside the strand, where it changes.
    struct happened {
        std::uint64_t gate;
        std::uint64_t last_waiter;
        std::uint64_t letters;
        bool operator==(const happened&) const = default;
    };
    happened what_has_happened() const {
        const concert::detail::object_header& h = *concert::name_of(*this).words().address();
        return {gate.words().target, reinterpret_cast<std::uint64_t>(h.last), log_of_test.size()};
    }
};

template <class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "none";
}

global_ptr<account> made() { return run(create<account>); }

account::happened what_has_happened(global_ptr<account> to) {
    return run(concert::unguarded<&account::what_has_happened>, to);
}

// Runs the method that waits at the gate, others behind it, and then opens the gate. Each has run
// or waits before the next one begins, on however many streams.
template <class First, class... Others>
void with_gate(global_ptr<account> of, First first, Others... others) {
    log_of_test.clear();
    gate = {};
    lazult::thread waits([=] { EXPECT_EQ(error_of([&] { run(first, of); }), "none"); });
    while (what_has_happened(of).gate == 0) {
        lazult::this_thread::yield();
    }
    std::vector<lazult::thread> behind;
    [[maybe_unused]] const auto starts = [&](auto other) {
        const auto before = what_has_happened(of);
        behind.emplace_back([=] { other(of); });
        while (what_has_happened(of) == before) {
            lazult::this_thread::yield();
        }
    };
    (starts(others), ...);
    gate.resolve();
    waits.join();
    for (lazult::thread& each : behind) {
        each.join();
    }
}

TEST_P(objects, live_until_they_are_destroyed) {
    const auto a = made();
    EXPECT_EQ(alive, 1);
    EXPECT_TRUE(a);
    EXPECT_EQ(run(&account::add, a, 3L), 3);
    EXPECT_EQ(run(&account::add, a, 4L), 7);
    EXPECT_EQ(run(&account::value, a), 7);
    run(concert::destroy, a);
    EXPECT_EQ(alive, 0);
}

TEST_P(objects, are_known_by_names_that_end_with_them) {
    const auto a = made();
    const auto copy = a;
    EXPECT_EQ(a, copy);
    EXPECT_NE(a, global_ptr<account>());
    run(concert::destroy, a);
    EXPECT_NE(error_of([&] { run(&account::value, a); }).find("it was destroyed"),
              std::string::npos);
    EXPECT_NE(error_of([&] { run(concert::destroy, a); }).find("it was destroyed"),
              std::string::npos);
    const auto next = made();  // in the same memory
    EXPECT_NE(a, next);
    EXPECT_NE(error_of([&] { run(&account::value, a); }).find("it was destroyed"),
              std::string::npos);
    EXPECT_NE(error_of([&] { run(&account::value, global_ptr<account>()); }).find("it is null"),
              std::string::npos);
    run(concert::destroy, next);
}

TEST_P(objects, tell_their_own_name) {
    const auto a = made();
    const auto its = run([](account& self) { return concert::name_of(self); }, a);
    EXPECT_EQ(a, its);
    run(concert::destroy, a);
}

TEST_P(objects, may_be_large) {
    struct large {
        std::array<long, 4000> values{};
        long fill(long with) {
            values.fill(with);
            return static_cast<long>(values.size());
        }
        long sum() const { return std::accumulate(values.begin(), values.end(), 0L); }
    };
    const auto a = run(create<large>);
    const auto b = run(create<large>);
    EXPECT_EQ(run(&large::fill, a, 2L), 4000);
    EXPECT_EQ(run(&large::sum, a), 8000);
    EXPECT_EQ(run(&large::sum, b), 0);
    EXPECT_EQ(a, run([](large& self) { return concert::name_of(self); }, a));
    run(concert::destroy, a);
    run(concert::destroy, b);
}

TEST_P(objects, whose_constructor_throws_are_not_there) {
    struct never {
        explicit never(int) { throw std::runtime_error("no such thing"); }
    };
    EXPECT_EQ(error_of([] { run(create<never>, 1); }), "no such thing");
}

TEST_P(objects, are_left_by_a_method_that_throws) {
    const auto a = made();
    EXPECT_EQ(error_of([&] { run(&account::fails, a, 1L); }), "on purpose");
    EXPECT_EQ(run(&account::add, a, 1L), 1);
    with_gate(a, [](global_ptr<account> of) {
        return call(&account::add_at_gate, of, 1L).then([](long) {});
    });
    run(concert::destroy, a);
}

TEST_P(objects, have_one_writer_at_a_time) {
    const auto a = made();
    with_gate(
        a, [](global_ptr<account> of) { return call(&account::add_at_gate, of, 10L); },
        [](global_ptr<account> of) { run(&account::write, of, 'w'); },
        [](global_ptr<account> of) { run(&account::write, of, 'v'); });
    EXPECT_EQ(log_of_test, "gowv");
    run(concert::destroy, a);
}

TEST_P(objects, let_readers_in_together_and_in_their_order) {
    const auto a = made();
    with_gate(
        a, [](global_ptr<account> of) { return call(&account::read_at_gate, of); },
        [](global_ptr<account> of) { run(&account::read, of, 'r'); },
        [](global_ptr<account> of) { run(&account::write, of, 'w'); },
        [](global_ptr<account> of) { run(&account::read, of, 's'); });
    EXPECT_EQ(log_of_test, "GrOws");
    run(concert::destroy, a);
}

TEST_P(objects, are_not_guarded_from_methods_that_say_so) {
    const auto a = made();
    with_gate(
        a, [](global_ptr<account> of) { return call(&account::add_at_gate, of, 10L); },
        [](global_ptr<account> of) { run(concert::unguarded<&account::write>, of, 'u'); });
    EXPECT_EQ(log_of_test, "guo");
    run(concert::destroy, a);
}

TEST_P(objects, let_a_reader_write_only_where_no_other_reads) {
    const auto a = made();
    EXPECT_EQ(run(&account::read_and_write, a), 1);
    with_gate(
        a, [](global_ptr<account> of) { return call(&account::read_at_gate, of); },
        [](global_ptr<account> of) {
            EXPECT_NE(
                error_of([&] { run(&account::read_and_write, of); }).find("while others read"),
                std::string::npos);
        });
    EXPECT_EQ(run(&account::value, a), 1);
    run(concert::destroy, a);
}

TEST_P(objects, let_their_own_methods_in_again) {
    const auto a = made();
    EXPECT_EQ(run(&account::add_again, a, 5L), 10);
    EXPECT_EQ(run(&account::add, a, 5L), 15);
    run(concert::destroy, a);
}

TEST_P(objects, that_are_destroyed_turn_away_who_waits) {
    const auto a = made();
    std::string of_waiter = "not yet";
    with_gate(
        a, [](global_ptr<account> of) { return call(&account::add_at_gate, of, 10L); },
        [](global_ptr<account> of) { run(concert::destroy, of); },
        [&](global_ptr<account> of) {
            of_waiter = error_of([&] { run(&account::write, of, 'w'); });
        });
    EXPECT_EQ(log_of_test, "go");
    EXPECT_NE(of_waiter.find("it was destroyed"), std::string::npos) << of_waiter;
}

TEST_P(objects, cannot_end_themselves) {
    struct ends {
        outcome<void> end() { return call(concert::destroy, concert::name_of(*this)); }
    };
    const auto a = run(create<ends>);
    EXPECT_NE(error_of([&] { run(&ends::end, a); }).find("a method of the object itself"),
              std::string::npos);
    run(concert::destroy, a);
}

TEST_P(objects, are_made_at_places_that_exist) {
    const auto error_at = [](concert::place where) {
        return error_of([&] { run(where, create<account>); });
    };
    EXPECT_NE(error_at(concert::on(0xfffe, 64)).find("there is no strand 64"), std::string::npos);
    EXPECT_NE(error_at(concert::on(0xfffe, 255)).find("there is no strand"), std::string::npos);
    EXPECT_NE(error_at(concert::on(0xfffe, -1)).find("there is no strand -1"), std::string::npos);
    EXPECT_NE(error_at(concert::on(65536)).find("there is no rank 65536"), std::string::npos);
    EXPECT_NE(error_at(concert::on(-1)).find("there is no rank -1"), std::string::npos);
}

TEST_P(objects, may_be_in_other_strands) {
    const auto a = run(concert::on(0xfffe, 5), create<account>);
    EXPECT_EQ(a.home().strand, 5U);
    const auto both = [](global_ptr<account> of) {
        return all(call(&account::add, of, 1L), call(&account::add_again, of, 10L))
            .then([](long, long) {});
    };
    run(both, a);
    EXPECT_EQ(run(&account::value, a), 21);
    EXPECT_EQ(error_of([&] { run(&account::fails, a, 1L); }), "on purpose");
    run(concert::destroy, a);
}

TEST_P(objects, of_all_strands_are_called_from_many_threads) {
    std::vector<global_ptr<account>> of(8);
    for (int i = 0; i < 8; ++i) {
        of[static_cast<std::size_t>(i)] = run(concert::on(0xfffe, i), create<account>);
    }
    std::vector<lazult::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 200; ++i) {
                run(&account::add, of[(i + t) % 8], 1L);
                run(&account::add_again, of[(i * t) % 8], 1L);
            }
        });
    }
    for (lazult::thread& each : threads) {
        each.join();
    }
    long sum = 0;
    for (const global_ptr<account> each : of) {
        sum += run(&account::value, each);
        run(concert::destroy, each);
    }
    EXPECT_EQ(sum, 4 * 200 * 3);
}

// What the tests below have done.
int calls_of_nothing = 0;
void count_a_call() { ++calls_of_nothing; }
concert::task<void> awaits_nothing() { co_await call(count_a_call); }

TEST_P(objects, methods_may_end_with_a_call_that_gives_nothing) {
    calls_of_nothing = 0;
    run([]() -> outcome<void> { return call(count_a_call); });
    run(awaits_nothing);
    EXPECT_EQ(calls_of_nothing, 2);
}

struct referred {
    concert::task<long> late(const std::string&) { co_return 1; }
    concert::task<long> early(std::string) { co_return 2; }
    static concert::task<long> own(referred&, long) { co_return 3; }
    static concert::task<long> foreign(referred&, const long&) { co_return 4; }
};
template <class F>
constexpr bool is_refused = concert::detail::takes_other_references<F>::value;
static_assert(is_refused<decltype(&referred::late)>);
static_assert(!is_refused<decltype(&referred::early)>);
static_assert(!is_refused<decltype(&referred::own)>);
static_assert(is_refused<decltype(&referred::foreign)>);

TEST(object_counts, a_call_in_the_same_strand_makes_no_context) {
    const auto a = made();
    const concert::method_counters before = concert::count_methods();
    // made and called inside one strand, which is that of this thread
    const auto hundred = [](global_ptr<account> of) {
        return concert::combine(
            0, 100, 0L, std::plus<>(),
            [](std::int64_t, global_ptr<account> o) -> outcome<long> {
                return call(&account::add, o, 1L);
            },
            of);
    };
    EXPECT_EQ(run(hundred, a), 5050);
    const concert::method_counters after = concert::count_methods();
    EXPECT_EQ(after.contexts, before.contexts);
    EXPECT_EQ(after.sent_calls, before.sent_calls);
    const auto b = run(concert::on(0xfffe, 9), create<account>);
    const concert::method_counters there = concert::count_methods();
    EXPECT_EQ(there.sent_calls, after.sent_calls + 1);
    EXPECT_EQ(there.served, after.served + 1);
    run(concert::destroy, a);
    run(concert::destroy, b);
}

TEST(object_errors, of_an_address_in_no_module) {
    alignas(16) static unsigned char no_code[64];
    auto* const on_heap = new unsigned char[64];
    EXPECT_NE(error_of([&] { concert::detail::name_of_code(on_heap); }).find("in no module"),
              std::string::npos);
    EXPECT_EQ(concert::detail::code_of_name(concert::detail::name_of_code(no_code)), no_code);
    delete[] on_heap;
}

TEST(object_errors_death, a_name_of_another_program) {
    EXPECT_DEATH(concert::detail::code_of_name(0x123456789abcdef0), "another rank calls one");
}

TEST(object_errors_death, a_message_that_is_too_short) {
    std::byte few[3]{};
    EXPECT_DEATH(
        {
            concert::unpacker from(few, sizeof few);
            static_cast<void>(concert::transfer<int>::get(from));
        },
        "shorter than the method says");
}

template <class T>
T there_and_back(const T& value) {
    concert::packer to;
    concert::transfer<T>::put(to, value);
    concert::unpacker from(to.data(), to.size());
    T result = concert::transfer<T>::get(from);
    EXPECT_EQ(from.left(), 0U);
    return result;
}

struct base_of_two {
    virtual ~base_of_two() = default;
    virtual int which() { return 1; }
    int plain(int n) const { return n; }
};

long one_more(long n) { return n + 1; }

// Trivially copyable, but its bytes mean nothing on another rank.
constinit std::array<int, 4> numbers_of_rank{};
struct chosen_number {
    const int* which;
    bool operator==(const chosen_number&) const = default;
};

}  // namespace

template <>
struct lazult::concert::transfer<chosen_number> {
    static void put(packer& to, const chosen_number& n) {
        transfer<std::int16_t>::put(to,
                                    static_cast<std::int16_t>(n.which - numbers_of_rank.data()));
    }
    static chosen_number get(unpacker& from) {
        return {&numbers_of_rank.at(static_cast<std::size_t>(transfer<std::int16_t>::get(from)))};
    }
};

namespace {

template <class T>
std::size_t bytes_of(const T& value) {
    concert::packer to;
    concert::transfer<T>::put(to, value);
    return to.size();
}

TEST(transfer, asks_the_transfer_of_each_value) {
    const chosen_number n{&numbers_of_rank[3]};
    const std::optional<chosen_number> perhaps = n;
    EXPECT_EQ(there_and_back(perhaps), perhaps);
    EXPECT_EQ(bytes_of(perhaps), 1 + sizeof(std::int16_t));
    const std::vector<chosen_number> list(5, n);
    EXPECT_EQ(there_and_back(list), list);
    EXPECT_EQ(bytes_of(list), sizeof(std::uint64_t) + 5 * sizeof(std::int16_t));
    const std::array<chosen_number, 2> two{n, n};
    EXPECT_EQ(there_and_back(two), two);
    EXPECT_EQ(bytes_of(two), 2 * sizeof(std::int16_t));
    EXPECT_EQ(bytes_of(std::array<int, 7>{}), 7 * sizeof(int));
    const std::vector<std::tuple<chosen_number, int>> deep{{n, 1}};
    EXPECT_EQ(there_and_back(deep), deep);
}

TEST(transfer, brings_functions_there) {
    EXPECT_EQ(there_and_back(&one_more), &one_more);
    using function = long (*)(long);
    EXPECT_EQ(there_and_back(function{nullptr}), nullptr);
    using member = int (base_of_two::*)(int) const;
    EXPECT_EQ(there_and_back(member{nullptr}), nullptr);
}

TEST(transfer, brings_values_there) {
    EXPECT_EQ(there_and_back(17), 17);
    EXPECT_EQ(there_and_back(std::string(1000, 'x')), std::string(1000, 'x'));
    using nested = std::vector<std::vector<std::string>>;
    const nested words{{"a", "b"}, {}, {std::string(300, 'c')}};
    EXPECT_EQ(there_and_back(words), words);
    const std::vector<double> numbers{1, 2, 3.5};
    EXPECT_EQ(there_and_back(numbers), numbers);
    const std::vector<bool> bits{true, false, true};
    EXPECT_EQ(there_and_back(bits), bits);
    const std::tuple<int, std::string, std::pair<char, std::string>> mixed{1, "x", {'c', "y"}};
    EXPECT_EQ(there_and_back(mixed), mixed);
    EXPECT_EQ(there_and_back(std::optional<std::string>()), std::nullopt);
    EXPECT_EQ(there_and_back(std::optional<std::string>("s")), "s");
    EXPECT_EQ(there_and_back(&base_of_two::plain), &base_of_two::plain);
    EXPECT_EQ(there_and_back(&base_of_two::which), &base_of_two::which);
}

static_assert(!concert::transferable<int*>);
static_assert(!concert::transferable<std::vector<int*>>);
static_assert(!concert::transferable<std::optional<int*>>);
static_assert(!concert::transferable<std::array<int*, 2>>);
static_assert(!concert::transferable<std::string_view>);
static_assert(!concert::transferable<std::span<int>>);
static_assert(!concert::transferable<std::reference_wrapper<int>>);
static_assert(concert::transferable<std::array<std::string, 2>>);
static_assert(concert::transferable<global_ptr<account>>);

}  // namespace
