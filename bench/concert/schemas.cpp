// SPDX-License-Identifier: BSD-3-Clause
// Calls by each schema, and what a caller pays where its callee blocks: Table 4 of Karamcheti,
// Plevyak and Chien.
#include "bench/concert/counted.hpp"
#include "bench/concert/measure.hpp"

#include <lazult_concert_methods.hpp>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lazult::bench {
namespace {

using concert::all;
using concert::call;
using concert::caller;
using concert::outcome;

// --- the same recursion by each schema

// Two calls that no compiler makes one: the results are not only added.
long mix(long a, long b) { return a ^ (b + 1); }

[[gnu::noinline]] long plain(long n) {
    if (n < 2) {
        return n;
    }
    const long a = plain(n - 1);
    return mix(a, plain(n - 2));
}

[[gnu::noinline]] outcome<long> may_block(long n) {
    if (n < 2) {
        return n;
    }
    return all(call(may_block, n - 1), call(may_block, n - 2)).then([](long a, long b) {
        return mix(a, b);
    });
}

[[gnu::noinline]] outcome<long> passes_continuation(caller<long>, long n) {
    if (n < 2) {
        return n;
    }
    return all(call(passes_continuation, n - 1), call(passes_continuation, n - 2))
        .then([](long a, long b) { return mix(a, b); });
}

constexpr long depth = 16;
constexpr long calls_of(long n) { return n < 2 ? 1 : 1 + calls_of(n - 1) + calls_of(n - 2); }

template <class Run>
void time_recursion(figures& found, const char* what, const Run& run) {
    begin_count();
    const auto began = clock::now();
    const long result = run();
    const double ns = ns_since(began);
    end_count(what);
    found.add(what, ns / static_cast<double>(calls_of(depth)));
    if (result != plain(depth)) {
        throw std::runtime_error(std::string(what) + ": the result is wrong");
    }
}

void time_calls(figures& found) {
    time_recursion(found, "plain C call", [] { return plain(depth); });
    time_recursion(found, "never-blocking", [] { return concert::run(plain, depth); });
    time_recursion(found, "may-block", [] { return concert::run(may_block, depth); });
    time_recursion(found, "continuation-passing",
                   [] { return concert::run(passes_continuation, depth); });
    concert::detail::block_every(1);
    time_recursion(found, "in a context (heap)", [] { return concert::run(may_block, depth); });
    concert::detail::block_every(0);
}

// --- what a caller pays where its callee blocks

constexpr std::int64_t batch = 128;

// Continuations that wait until the batch has begun.
std::vector<concert::continuation<long>> at_the_gate;

void open_gate() {
    std::vector<concert::continuation<long>> waiting;
    waiting.swap(at_the_gate);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        waiting[i].resolve(static_cast<long>(i));
    }
    if (at_the_gate.empty()) {  // keeps the memory
        waiting.clear();
        waiting.swap(at_the_gate);
    }
}

// Where `blocks` is not set, nothing waits, and all is done on the stack.
[[gnu::noinline]] outcome<long> gate(caller<long> by, bool blocks) {
    if (!blocks) {
        return 1;
    }
    at_the_gate.push_back(by.take());
    return by.given();
}

[[gnu::noinline]] outcome<long> callee_may_block(bool blocks) {
    return call(gate, blocks).then([](long v) { return v + 1; });
}
[[gnu::noinline]] outcome<long> callee_passes_continuation(caller<long> by, bool blocks) {
    return gate(by, blocks);
}

template <auto Callee>
[[gnu::noinline]] outcome<long> caller_may_block(bool blocks) {
    return call(Callee, blocks).then([](long v) { return v + 1; });
}
// It does not take its continuation, but its own caller must be able to give it one.
template <auto Callee>
[[gnu::noinline]] outcome<long> caller_passes_continuation(caller<long>, bool blocks) {
    return call(Callee, blocks).then([](long v) { return v + 1; });
}
// Has waited already when it calls, so that it runs in its context.
template <auto Callee>
[[gnu::noinline]] outcome<long> caller_in_context(bool blocks) {
    return call(gate, true).keep(blocks).then([](bool b, long) { return call(Callee, b); });
}
// The same, but its result is not the callee's, which nobody waits for: so there is no link.
template <auto Callee>
[[gnu::noinline]] outcome<long> apart_in_context(bool blocks) {
    return call(gate, true).keep(blocks).then([](bool b, long v) {
        static_cast<void>(outcome<long>(call(Callee, b)));
        return v;
    });
}

// Opens the gate for the batch, and once more for what has come to it meanwhile.
outcome<void> open_twice() {
    outcome<void> second = call(gate, true).then([](long) { open_gate(); });
    open_gate();
    return second;
}

template <auto Method>
outcome<long> step(std::int64_t, bool blocks) {
    return call(Method, blocks);
}
template <auto Method>
outcome<long> begin_batch(bool blocks) {
    return concert::combine(0, batch, 0L, std::plus<>(), step<Method>, blocks);
}
template <auto Method>
outcome<long> whole_batch(bool blocks) {
    return all(call(begin_batch<Method>, blocks), call(open_twice)).then([](long sum) {
        return sum;
    });
}

struct batch_cost {
    double ns;
    double contexts;
};

template <auto Method>
batch_cost cost_of(const std::string& what, bool blocks) {
    const std::uint64_t before = concert::count_methods().contexts;
    const std::string name = what + (blocks ? ", blocks" : ", does not block");
    begin_count();
    const auto began = clock::now();
    concert::run(whole_batch<Method>, blocks);
    const double ns = ns_since(began) / batch;
    end_count(name.c_str());
    return {ns, static_cast<double>(concert::count_methods().contexts - before) / batch};
}

// The time of a call that blocks, less that of the same call that does not.
template <auto Method>
batch_cost blocking(const std::string& what) {
    const batch_cost with = cost_of<Method>(what, true);
    const batch_cost without = cost_of<Method>(what, false);
    return {with.ns - without.ns, with.contexts - without.contexts};
}

struct pair_of_schemas {
    const char* what;
    double paper_us;
    batch_cost (*whole)(const std::string& what);   // caller and callee
    batch_cost (*callee)(const std::string& what);  // the callee alone
};

constexpr pair_of_schemas pairs[] = {
    {"heap caller, may-block callee", 0.15, blocking<caller_in_context<callee_may_block>>,
     blocking<apart_in_context<callee_may_block>>},
    {"heap caller, continuation-passing callee", 0,
     blocking<caller_in_context<callee_passes_continuation>>,
     blocking<apart_in_context<callee_passes_continuation>>},
    {"may-block caller, may-block callee", 2.00, blocking<caller_may_block<callee_may_block>>,
     blocking<callee_may_block>},
    {"may-block caller, continuation-passing callee", 0.30,
     blocking<caller_may_block<callee_passes_continuation>>, blocking<callee_passes_continuation>},
    {"continuation-passing caller, may-block callee", 3.50,
     blocking<caller_passes_continuation<callee_may_block>>, blocking<callee_may_block>},
    {"continuation-passing caller and callee", 1.80,
     blocking<caller_passes_continuation<callee_passes_continuation>>,
     blocking<callee_passes_continuation>},
};

struct fallback_figures {
    figures ns;
    figures contexts;
};

void time_fallbacks(fallback_figures& found) {
    for (const pair_of_schemas& each : pairs) {
        const batch_cost whole = each.whole(each.what);
        const batch_cost callee = each.callee(std::string(each.what) + ", callee alone");
        found.ns.add(each.what, whole.ns - callee.ns);
        found.contexts.add(each.what, whole.contexts - callee.contexts);
    }
}

struct entry {
    const char* what;
    std::optional<double> paper_us;
};
constexpr entry calls[] = {
    {"plain C call", {}},
    {"never-blocking", {}},
    {"may-block", {}},
    {"continuation-passing", {}},
    {"in a context (heap)", 320 / 150.0},
};

void add_rows(figures& of_calls, fallback_figures& of_fallbacks, std::vector<row>& rows) {
    for (const entry& each : calls) {
        row r;
        r.what = each.what;
        r.paper_us = each.paper_us;
        r = filled(r, of_calls.of(each.what));
        compare(r, rows, "plain C call");
        rows.push_back(r);
    }
    for (const pair_of_schemas& each : pairs) {
        row r;
        r.what = each.what;
        r.paper_us = each.paper_us;
        r.contexts = quantile(of_fallbacks.contexts.of(each.what), 0.5);
        r = filled(r, of_fallbacks.ns.of(each.what));
        compare(r, rows, "in a context (heap)");
        rows.push_back(r);
    }
}

}  // namespace

void measure_schemas(const effort& how, std::vector<row>& rows) {
    figures of_calls;
    fallback_figures of_fallbacks;
    for (unsigned round = 0; round <= how.rounds; ++round) {
        time_calls(of_calls);
        time_fallbacks(of_fallbacks);
        if (round == 0) {
            of_calls.forget();
            of_fallbacks.ns.forget();
            of_fallbacks.contexts.forget();
        }
    }
    add_rows(of_calls, of_fallbacks, rows);
}

}  // namespace lazult::bench
