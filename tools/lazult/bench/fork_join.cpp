// SPDX-License-Identifier: BSD-3-Clause
// n units created, run and joined. Some of them suspend once, by a yield; the body of the others is
// not quite empty either, so that no compiler and no branch predictor sees through it: `count++; if
// (*flag) yield;`.
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/drivers.hpp"
#include "tools/lazult/bench/patterns.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

struct plan {
    core::technique how;
    std::vector<double> rates;  // of the phases; one where there are none
    std::uint64_t phase_length;
    std::size_t n;
    unsigned streams;
    pool_kind pool;
    join_kind join;
    bool child_first;
};

long count = 0;

void body(void* flag) {
    ++count;
    if (*static_cast<const unsigned char*>(flag) != 0) {
        core::yield();
    }
}

// With several streams each OS thread counts for itself: one shared counter would be what is
// measured.
struct alignas(base::cache_line) own_count {
    long value = 0;
};
constexpr std::size_t most_workers = 2048;
std::array<own_count, most_workers> own_counts;

void body_on_streams(void* flag) {
    ++own_counts[static_cast<std::size_t>(core::this_worker().index) % most_workers].value;
    if (*static_cast<const unsigned char*>(flag) != 0) {
        core::yield();
    }
}

long units_that_ran() {
    return std::accumulate(own_counts.begin(), own_counts.end(), count,
                           [](long sum, const own_count& c) { return sum + c.value; });
}

// The creator's worker. One that is at home in a private pool never changes streams, so it need not
// look anew.
template <bool Moves>
class own_worker {
public:
    core::worker& operator*() const noexcept {
        if constexpr (Moves) {
            return core::this_worker();
        }
        return first_;
    }

private:
    core::worker& first_ = core::this_worker();
};

// Passed by value to the loops: what stays in registers there is not what is measured.
struct batch {
    core::pool* home;
    core::entry_function entry;
    core::unit_attributes attributes;
    core::work_unit** units;
    std::size_t n;
};

template <bool Moves, bool ChildFirst>
void create_all(const batch b, unsigned char* flags) {
    const own_worker<Moves> w;
    core::pool& home = *b.home;
    const core::entry_function entry = b.entry;
    const core::unit_attributes attributes = b.attributes;
    core::work_unit** const units = b.units;
    const std::size_t n = b.n;
    for (std::size_t i = 0; i < n; ++i) {
        core::work_unit* u = core::prepare(*w, home, entry, flags + i, attributes);
        require_memory(u);
        units[i] = u;
        if constexpr (ChildFirst) {
            core::launch_child_first(u);
        } else {
            core::launch(*w, u, home);
        }
    }
}

template <bool Moves>
void join_each(const batch b) {
    const own_worker<Moves> w;
    for (std::size_t i = 0; i < b.n; ++i) {
        core::work_unit* const u = b.units[i];
        core::join(&*w, u);
        core::dispose(*w, u);
    }
}

template <bool Moves>
void join_many(const batch b) {
    core::join_many(b.units, b.n);
    const own_worker<Moves> w;
    for (std::size_t i = 0; i < b.n; ++i) {
        core::dispose(*w, b.units[i]);
    }
}

// One creator and joiner. Its patterns rotate on from sample to sample.
class forker {
public:
    explicit forker(const plan& p) : plan_(&p), units_(p.n) {
        for (double rate : p.rates) {
            phases_.emplace_back(p.n, rate);
        }
    }

    void run(core::pool& home, std::uint64_t rounds) {
        const core::entry_function entry = plan_->streams == 1 ? body : body_on_streams;
        const batch b{&home, entry, core::unit_attributes(plan_->how), units_.data(),
                      units_.size()};
        const round_function round = choose_round();
        const std::uint64_t phases = phases_.size();
        const std::uint64_t length =
            plan_->phase_length != 0 ? plan_->phase_length : (rounds + phases - 1) / phases;
        for (std::uint64_t k = 0; k < rounds; ++k) {
            round(b, phases_[k / length % phases].pattern(turn_++));
        }
    }

private:
    using round_function = void (*)(const batch&, unsigned char* flags);

    template <bool Moves, bool ChildFirst, bool Many>
    static void run_round(const batch& b, unsigned char* flags) {
        create_all<Moves, ChildFirst>(b, flags);
        if constexpr (Many) {
            join_many<Moves>(b);
        } else {
            join_each<Moves>(b);
        }
    }

    template <bool Moves>
    round_function choose_round_of() const noexcept {
        if (plan_->join == join_kind::many) {
            return plan_->child_first ? run_round<Moves, true, true>
                                      : run_round<Moves, false, true>;
        }
        return plan_->child_first ? run_round<Moves, true, false> : run_round<Moves, false, false>;
    }

    // Only in the shared pool is the creator itself anybody's to run.
    round_function choose_round() const noexcept {
        return plan_->pool == pool_kind::shared_fifo ? choose_round_of<true>()
                                                     : choose_round_of<false>();
    }

    const plan* plan_;
    std::vector<suspend_patterns> phases_;
    std::vector<core::work_unit*> units_;
    std::uint64_t turn_ = 0;
};

class fork_join {
public:
    explicit fork_join(const plan& p) : plan_(p) {
        const unsigned creators = p.pool == pool_kind::private_fifo ? p.streams : 1;
        forkers_.reserve(creators);
        for (unsigned i = 0; i < creators; ++i) {
            forkers_.emplace_back(plan_);
        }
    }
    fork_join(const fork_join&) = delete;
    fork_join& operator=(const fork_join&) = delete;

    sample run(std::uint64_t rounds) {
        const long before = units_that_ran();
        const span_of_time span = run_on_pool(rounds);
        const auto units = static_cast<long>(rounds * plan_.n * forkers_.size());
        require(units_that_ran() - before == units, "units got lost");
        return per_operation(span.begin, span.end, static_cast<double>(units));
    }

private:
    span_of_time run_on_pool(std::uint64_t rounds) {
        switch (plan_.pool) {
            case pool_kind::shared_fifo: return run_on_shared(rounds);
            case pool_kind::work_stealing:
                return run_here(sched::this_stream()->default_pool(), rounds);
            default: return run_on_private(rounds);
        }
    }

    span_of_time run_here(core::pool& home, std::uint64_t rounds) {
        const instant begin = instant::now();
        forkers_.front().run(home, rounds);
        return {begin, instant::now()};
    }

    span_of_time run_on_private(std::uint64_t rounds) {
        if (plan_.streams == 1) {
            return run_here(*sched::this_stream()->pinned(), rounds);
        }
        return on_every_stream(plan_.streams, [&](unsigned i) {
            forkers_[i].run(*sched::this_stream()->pinned(), rounds);
        });
    }

    span_of_time run_on_shared(std::uint64_t rounds) {
        const std::unique_ptr<sched::ready_pool> pool(sched::make_pool("shared_fifo"));
        span_of_time span{};
        on_streams_sharing(*pool, plan_.streams, [&] { span = run_here(*pool, rounds); });
        return span;
    }

    const plan plan_;
    std::vector<forker> forkers_;
};

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

configuration row_of(const plan& p) {
    configuration c;
    c.benchmark = "fork-join";
    c.technique = base::name(p.how);
    c.suspend_percent = mean(p.rates);
    c.streams = p.streams;
    c.details = {{"pool", name(p.pool)},
                 {"n", std::uint64_t{p.n}},
                 {"join", name(p.join)},
                 {"child_first", p.child_first}};
    if (p.rates.size() > 1) {
        c.details.emplace_back("phases", p.rates);
        c.details.emplace_back("phase_length", p.phase_length);
    }
    // Streams that share a pool are started for each sample, next to the first one, which sleeps
    // then.
    c.settings = settings_with(p.pool == pool_kind::shared_fifo ? 1 : p.streams);
    c.run = [it = std::make_shared<fork_join>(p)](std::uint64_t rounds) { return it->run(rounds); };
    return c;
}

// The list of phases is one rate that changes.
std::vector<std::vector<double>> rates_of(const bench_options& options) {
    if (!options.raw.phases.empty()) {
        return {options.raw.phases};
    }
    std::vector<std::vector<double>> lists;
    for (double rate : options.suspend()) {
        lists.push_back({rate});
    }
    return lists;
}

void add_techniques(const bench_options& options, const plan& shape, rows& result) {
    for (core::technique how : options.techniques) {
        if (how == core::technique::run_to_completion && mean(shape.rates) > 0) {
            continue;  // of `--technique all`; by itself it was refused
        }
        plan p = shape;
        p.how = how;
        result.push_back(row_of(p));
    }
}

}  // namespace

rows fork_join_rows(const bench_options& options) {
    rows result;
    const auto sizes = options.raw.n.empty() ? std::vector<std::uint64_t>{128} : options.raw.n;
    for (unsigned streams : options.streams_or(1)) {
        for (std::uint64_t n : sizes) {
            for (pool_kind pool : options.pools) {
                for (join_kind join : options.joins) {
                    for (const std::vector<double>& rates : rates_of(options)) {
                        const plan shape{core::technique::adaptive,
                                         rates,
                                         options.phase_length,
                                         n,
                                         streams,
                                         pool,
                                         join,
                                         options.child_first};
                        add_techniques(options, shape, result);
                    }
                }
            }
        }
    }
    return result;
}

}  // namespace lazult::tool
