// SPDX-License-Identifier: BSD-3-Clause
// An exhaustive model checker for templates that take an atomics policy. It runs a body again and
// again: once for every choice of the thread that runs next (up to a number of preemptions) and of
// the store that each load reads (as far as the C++ memory orders allow). It reports the first
// execution that goes wrong, operation by operation.
//
// How to write a model run:
//
//     #include "tests/model/model.hpp"
//     using namespace lazult;
//
//     TEST(my_word, hands_over) {
//         const model::result found = model::explore({}, [](model::run& run) {
//             my_word<model::model_atomics> word;  // what ships, made anew in each execution
//             model::model_var<int> data{0};       // plain data: a race on it is a failure
//             run.label(word, "word");             // its name in traces
//             run.thread("giver", [&] { data = 1; word.give(); });
//             run.thread("taker", [&] {
//                 if (word.take()) model::check(data == 1, "the data came along");
//             });
//             run.join();  // runs the threads; what follows sees all they did
//             model::check(word.empty(), "nothing is left");
//         });
//         EXPECT_FALSE(found.failed) << found.describe();
//         EXPECT_TRUE(found.complete);
//     }
//
// - The body is called thousands of times: it must be deterministic, and make everything that it
//   uses. Containers that threads fill belong to the body: a thread that is stopped by a failure is
//   not unwound.
// - Atomics: template <class Atomics> with Atomics::atomic<T>, pause(), light_barrier(),
//   heavy_barrier(), futex_wait(), futex_wake(), as ds::std_atomics. T has up to 8 bytes.
// - States are remembered, and what follows one is looked at once (visited.hpp, engine_state.cpp).
//   So plain memory that threads write unordered, such as counts of what was done, must come out
//   alike in whatever order they did: no log that all write to.
// - Plain data that is shared: model_var<T>. A template with plain members takes their type, or a
//   member pointer, as a parameter (see ds::mpsc_queue).
// - Spin loops must call Atomics::pause(): the thread then waits until another one stores
//   something.
// - Keep it small: 2 or 3 threads of 2 to 4 calls. options::preemptions (3) bounds the search; most
//   mistakes need one or two. result::complete says that every execution within the bounds was
//   seen.
// - Each run deserves a twin that must fail: options::weaken gives a named operation a weaker
//   order. The operation is known by the plain name of the function that contains it:
//       model::options broken;
//       // release and relaxed are std::memory_order_...
//       broken.weaken = {{"give", model::operation::store, release, relaxed}};
//       EXPECT_TRUE(model::explore(broken, body).failed);
//   result::weakened tells whether it applied at all. A barrier of that name is left out.
// - Better still, mutation.hpp: list the runs as scenarios, and unnoticed_mistakes() weakens every
//   order of the template in turn and names those that no scenario needs.
// - A failure prints its path. LAZULT_MODEL_REPLAY=<path> with --gtest_filter, or options::replay,
//   runs only that execution and traces it.
// - What is checked: check(), data races on model_var and on the creation of atomics, use of
//   destroyed atomics, deadlock and lost wake-ups (all sleep), livelock (all spin, or too many
//   operations).
// - What is not: stores are ordered as they ran and loads never read the future (see memory.hpp),
//   futexes do not wake spuriously, compare_exchange_weak fails only as the strong one, and a
//   thread reads the same outdated store at most options::stale_reads times in a row.
#pragma once

#include "tests/model/engine.hpp"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace lazult::model {

namespace detail {

template <class T>
std::uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
    if constexpr (std::integral<T>) {
        return static_cast<std::uint64_t>(value);  // keeps -1 readable in traces
    } else {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(T));
        return bits;
    }
}

template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    if constexpr (std::integral<T>) {
        value = static_cast<T>(bits);
    } else {
        std::memcpy(&value, &bits, sizeof(T));
    }
    return value;
}

}  // namespace detail

// The atomics policy of the model; ds::std_atomics describes the operations.
struct model_atomics {
    template <class T>
    class atomic {
    public:
        atomic() : atomic(T{}) {}
        explicit atomic(T value) : id_(engine::current().create(this, detail::to_bits(value))) {}
        atomic(const atomic&) = delete;
        atomic& operator=(const atomic&) = delete;
        ~atomic() { engine::current().destroy(id_); }

        T load(std::memory_order order, site where = site::here()) const {
            return detail::from_bits<T>(engine::current().load(id_, order, where));
        }
        void store(T value, std::memory_order order, site where = site::here()) {
            engine::current().store(id_, detail::to_bits(value), order, where);
        }
        T exchange(T value, std::memory_order order, site where = site::here()) {
            return modify(
                operation::exchange, [](std::uint64_t, std::uint64_t operand) { return operand; },
                value, order, where);
        }
        bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                     std::memory_order failure, site where = site::here()) {
            std::uint64_t bits = detail::to_bits(expected);
            const bool won = engine::current().compare_exchange(id_, bits, detail::to_bits(desired),
                                                                success, failure, where);
            expected = detail::from_bits<T>(bits);
            return won;
        }
        bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                                   std::memory_order failure, site where = site::here()) {
            return compare_exchange_strong(expected, desired, success, failure, where);
        }
        T fetch_add(T value, std::memory_order order, site where = site::here())
            requires std::integral<T>
        {
            return modify(
                operation::add,
                [](std::uint64_t old, std::uint64_t operand) {
                    return detail::to_bits(detail::from_bits<T>(old + operand));
                },
                value, order, where);
        }
        T fetch_sub(T value, std::memory_order order, site where = site::here())
            requires std::integral<T>
        {
            return modify(
                operation::subtract,
                [](std::uint64_t old, std::uint64_t operand) {
                    return detail::to_bits(detail::from_bits<T>(old - operand));
                },
                value, order, where);
        }
        T fetch_or(T value, std::memory_order order, site where = site::here())
            requires std::integral<T>
        {
            return modify(
                operation::bit_or,
                [](std::uint64_t old, std::uint64_t operand) { return old | operand; }, value,
                order, where);
        }
        T fetch_and(T value, std::memory_order order, site where = site::here())
            requires std::integral<T>
        {
            return modify(
                operation::bit_and,
                [](std::uint64_t old, std::uint64_t operand) { return old & operand; }, value,
                order, where);
        }

    private:
        friend struct model_atomics;

        T modify(operation kind, engine::modify change, T operand, std::memory_order order,
                 site where) {
            return detail::from_bits<T>(engine::current().read_modify_write(
                id_, kind, change, detail::to_bits(operand), order, where));
        }

        unsigned id_;
    };

    static void pause() { engine::current().pause(); }
    static void light_barrier(site where = site::here()) { engine::current().light_barrier(where); }
    static void free_barrier(site where = site::here()) { engine::current().light_barrier(where); }
    static void compiler_barrier(site where = site::here()) {
        engine::current().light_barrier(where);
    }
    static void heavy_barrier(site where = site::here()) { engine::current().heavy_barrier(where); }
    static void barrier_against_free(site where = site::here()) {
        engine::current().heavy_barrier(where);
    }

    // Whether it is later than that: at any moment, and from then on, as each thread sees it.
    static bool has_passed(std::int64_t) { return engine::current().deadline_passes(); }
    // A deadline may pass at any moment, and passes when nothing else can happen.
    static bool futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                           std::int64_t deadline_ns, site where = site::here()) {
        return engine::current().futex_wait(&word, word.id_, expected, deadline_ns >= 0, where);
    }
    static int futex_wake(atomic<std::uint32_t>& word, int count, site where = site::here()) {
        return engine::current().futex_wake(&word, count, where);
    }
};

// Plain data. Two accesses, one of them a write, that no happens-before orders are a failure.
template <class T>
class model_var {
public:
    model_var() : model_var(T{}) {}
    explicit model_var(T value) : value_(std::move(value)) {
        engine::current().data_created(accesses_);
    }
    model_var(const model_var&) = delete;

    model_var& operator=(const model_var& other) { return *this = other.get(); }
    model_var& operator=(T value) {
        engine::current().data_written(accesses_, this);
        value_ = std::move(value);
        return *this;
    }
    const T& get() const {
        engine::current().data_read(accesses_, this);
        return value_;
    }
    operator const T&() const { return get(); }

private:
    T value_;
    mutable data_accesses accesses_;
};

// What a body uses to describe one execution.
class run {
public:
    void thread(std::string name, std::function<void()> body) {
        engine::current().add_thread(std::move(name), std::move(body));
    }
    // May be called again after more calls of thread().
    void join() { engine::current().run_threads(); }
    template <class T>
    void label(const T& object, std::string name) {
        engine::current().label(&object, sizeof(T), std::move(name));
    }
    // A line in the trace.
    void note(const std::string& text) { engine::current().note(text); }
};

inline void check(bool holds, const char* claim) {
    engine& checked = engine::current();
    if (!holds) {
        checked.fail(std::string("this does not hold: ") + claim);
        throw stopped{};  // main only: fail() does not come back on another thread
    }
}

inline result explore(const options& limits, const std::function<void(run&)>& body) {
    engine checker(limits);
    return checker.explore([&body] {
        run here;
        body(here);
    });
}

}  // namespace lazult::model
