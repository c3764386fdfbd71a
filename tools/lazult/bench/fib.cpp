// SPDX-License-Identifier: BSD-3-Clause
// fib(n) by one ULT for each addition: fib(n - 1) is created, fib(n - 2) called, and the first one
// joined. One operation is one creation with its join. Parent first, in the stealing pool of
// whatever stream a creator runs on.
#include <utility>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

// Set before each sample, read by all streams: the creations order it.
const core::unit_attributes* attributes = nullptr;

struct term {
    unsigned n;
    long result;
};

void fib(void* argument) {
    auto* t = static_cast<term*>(argument);
    if (t->n < 2) {
        t->result = t->n;
        return;
    }
    term first{t->n - 1, 0};
    term second{t->n - 2, 0};
    core::worker& w = core::this_worker();
    core::work_unit* child = core::prepare(w, sched::default_pool(&w), fib, &first, *attributes);
    require_memory(child);
    core::launch(w, child);
    fib(&second);
    core::join(child);
    core::dispose(core::this_worker_or_null(), child);
    t->result = first.result + second.result;
}

struct expectation {
    long value;
    double creations;
};

expectation expected_of(unsigned n) {
    long value = 0;
    long next = 1;
    for (unsigned i = 0; i < n; ++i) {
        value = std::exchange(next, value + next);
    }
    return {value, static_cast<double>(next - 1)};
}

sample run(unsigned n, core::technique how, std::uint64_t iterations) {
    const core::unit_attributes chosen(how);
    attributes = &chosen;
    const expectation expected = expected_of(n);
    const instant begin = instant::now();
    for (std::uint64_t k = 0; k < iterations; ++k) {
        term root{n, 0};
        fib(&root);
        require(root.result == expected.value, "fib is wrong");
    }
    return per_operation(begin, static_cast<double>(iterations) * expected.creations);
}

}  // namespace

rows fib_rows(const bench_options& options) {
    rows result;
    const auto techniques = techniques_that_wait(options, "fib");
    for (unsigned streams : options.streams_or(1)) {
        for (core::technique how : techniques) {
            configuration c;
            c.benchmark = "fib";
            c.technique = base::name(how);
            c.streams = streams;
            c.details = {{"pool", name(pool_kind::work_stealing)},
                         {"n", std::uint64_t{options.fib_n}}};
            c.settings = settings_with(streams);
            c.run = [n = options.fib_n, how](std::uint64_t iterations) {
                return run(n, how, iterations);
            };
            result.push_back(std::move(c));
        }
    }
    return result;
}

}  // namespace lazult::tool
