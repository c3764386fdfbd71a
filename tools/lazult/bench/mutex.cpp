// SPDX-License-Identifier: BSD-3-Clause
// Lock and unlock. Uncontended: by one ULT, with idle streams beside it when there are several.
// Contended: one ULT on each stream until a deadline, with steps of work inside and outside the
// critical section; an operation is one pair of any.
#include <algorithm>
#include <atomic>
#include <vector>

#include "lazult/sync/sync.hpp"
#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/drivers.hpp"
#include "tools/lazult/bench/statistics.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

// A step is a dependent multiplication and addition, about a nanosecond.
std::uint64_t work(std::uint64_t x, std::uint64_t steps) noexcept {
    for (std::uint64_t i = 0; i < steps; ++i) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        asm volatile("" : "+r"(x));
    }
    return x;
}

sample run_alone(std::uint64_t iterations) {
    sync::mutex lock;
    std::uint64_t count = 0;
    const instant begin = instant::now();
    for (std::uint64_t i = 0; i < iterations; ++i) {
        lock.lock();
        ++count;
        asm volatile("" : "+m"(count));
        lock.unlock();
    }
    sample taken = per_operation(begin, static_cast<double>(iterations));
    taken.extras = {{"alone", process_has_one_thread()}};
    require(count == iterations, "a critical section got lost");
    return taken;
}

struct contention {
    std::uint64_t inside;
    std::uint64_t outside;
    std::int64_t length_ns;
    unsigned streams;
};

// Each on cache lines of its own: what the streams contend for is the mutex and what it guards.
struct alignas(2 * base::cache_line) arena {
    sync::mutex lock;
    std::uint64_t guarded = 1;
    std::uint64_t count = 0;
    // field  written by           read by      order
    // over   the first to notice  all streams  relaxed: a request to stop
    alignas(2 * base::cache_line) std::atomic<bool> over{false};
};

struct alignas(2 * base::cache_line) own_pairs {
    double value = 0;
};

double contend(arena& a, const contention& c) {
    constexpr std::uint64_t pairs_between_looks = 256;
    const std::int64_t deadline = os::now_ns() + c.length_ns;
    std::uint64_t pairs = 0;
    std::uint64_t mine = 1;
    while (!a.over.load(std::memory_order_relaxed)) {
        a.lock.lock();
        a.guarded = work(a.guarded, c.inside);
        ++a.count;
        a.lock.unlock();
        mine = work(mine, c.outside);
        if (++pairs % pairs_between_looks == 0 && os::now_ns() >= deadline) {
            a.over.store(true, std::memory_order_relaxed);
        }
    }
    return static_cast<double>(pairs);
}

sample run_contended(const contention& c) {
    arena a;
    std::vector<own_pairs> pairs(c.streams);
    const span_of_time span =
        on_every_stream(c.streams, [&](unsigned i) { pairs[i].value = contend(a, c); });
    double total = 0;
    double least = pairs.front().value;
    for (const own_pairs& p : pairs) {
        total += p.value;
        least = std::min(least, p.value);
    }
    require(static_cast<double>(a.count) == total, "a critical section got lost");
    sample taken = per_operation(span.begin, span.end, total);
    taken.extras = {{"least_share_percent", 100 * least / total}};
    return taken;
}

configuration row_of(unsigned streams) {
    configuration c;
    c.benchmark = "mutex";
    c.streams = streams;
    c.settings = settings_with(streams);
    c.details = {{"contended", false}};
    c.run = run_alone;
    return c;
}

configuration row_of(const contention& shape) {
    configuration c = row_of(shape.streams);
    c.details = {{"contended", true}, {"inside", shape.inside}, {"outside", shape.outside}};
    c.calibrated = false;
    c.run = [shape](std::uint64_t) { return run_contended(shape); };
    return c;
}

}  // namespace

rows mutex_rows(const bench_options& options) {
    rows result;
    const auto length_ns = static_cast<std::int64_t>(options.contend_ms * 1e6);
    for (unsigned streams :
         options.raw.streams.empty() ? std::vector<unsigned>{1, 2} : options.raw.streams) {
        result.push_back(row_of(streams));
        for (std::uint64_t inside : options.inside) {
            if (streams > 1) {
                result.push_back(row_of({inside, options.outside, length_ns, streams}));
            }
        }
    }
    return result;
}

}  // namespace lazult::tool
