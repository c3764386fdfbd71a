// SPDX-License-Identifier: BSD-3-Clause
// fib(30) as methods, beside the same recursion in C with the same check of the stack's depth. The
// calls of one kind are added, and compilers may make a loop of C's second call. Those of the other
// kind are mixed, so that C must call twice, too.
#include "bench/concert/counted.hpp"
#include "bench/concert/measure.hpp"

#include <lazult_concert_methods.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace lazult::bench {
namespace {

using concert::all;
using concert::call;
using concert::outcome;

constexpr long depth = 30;
constexpr long calls_of(long n) { return n < 2 ? 1 : 1 + calls_of(n - 1) + calls_of(n - 2); }

[[gnu::noinline, gnu::cold]] long too_deep() { std::abort(); }

struct add {
    static long both(long a, long b) { return a + b; }
};
struct mix {
    static long both(long a, long b) { return a ^ (b + 1); }
};

template <class How>
[[gnu::noinline]] long in_c(long n) {
    if (n < 2) {
        return n;
    }
    if (concert::detail::is_near_stack_limit()) [[unlikely]] {
        return too_deep();
    }
    const long a = in_c<How>(n - 1);
    return How::both(a, in_c<How>(n - 2));
}

template <class How>
[[gnu::noinline]] outcome<long> as_methods(long n) {
    if (n < 2) {
        return n;
    }
    return all(call(as_methods<How>, n - 1), call(as_methods<How>, n - 2)).then([](long a, long b) {
        return How::both(a, b);
    });
}

// The contexts that it made.
template <class Method>
std::uint64_t time_one(figures& found, const char* what, const Method& method, long right) {
    const std::uint64_t before = concert::count_methods().contexts;
    begin_count();
    const auto began = clock::now();
    const long result = concert::run(method, depth);
    const double ns = ns_since(began);
    end_count(what);
    found.add(what, ns / static_cast<double>(calls_of(depth)));
    if (result != right) {
        throw std::runtime_error(std::string(what) + ": the result is wrong");
    }
    return concert::count_methods().contexts - before;
}

struct pair_of_ways {
    const char* c;
    const char* methods;
    long (*in_c)(long);
    outcome<long> (*as_methods)(long);
};
constexpr pair_of_ways pairs[] = {
    {"C, mixed", "methods, mixed", in_c<mix>, as_methods<mix>},
    {"C, added", "methods, added", in_c<add>, as_methods<add>},
};

}  // namespace

void measure_fib(const effort& how, std::vector<row>& rows) {
    figures found;
    std::uint64_t contexts = 0;  // of all runs; there should be none
    for (unsigned round = 0; round <= how.rounds; ++round) {
        for (const pair_of_ways& each : pairs) {
            const long right = concert::run(each.in_c, depth);
            contexts += time_one(found, each.c, each.in_c, right);
            contexts += time_one(found, each.methods, each.as_methods, right);
        }
        if (round == 0) {
            found.forget();
        }
    }
    for (const pair_of_ways& each : pairs) {
        for (const char* const what : {each.c, each.methods}) {
            row r;
            r.what = what;
            r.contexts = static_cast<double>(contexts) / static_cast<double>(calls_of(depth));
            r = filled(r, found.of(what));
            if (what == each.methods) {
                compare(r, rows, each.c);
            }
            rows.push_back(r);
        }
    }
}

}  // namespace lazult::bench
