// SPDX-License-Identifier: BSD-3-Clause
// Resident memory of a unit that was created and has not run, and of one that is blocked. Each
// sample comes from a fresh process: memory that units once used stays resident.
#include <algorithm>
#include <string>
#include <vector>

#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

constexpr std::uint64_t default_units = 1'000'000;
constexpr std::size_t default_blocked_stack = std::size_t{16} << 10;

enum class unit_state { created, blocked };

std::string name(unit_state state) { return state == unit_state::created ? "created" : "blocked"; }

std::uint64_t blocked_now = 0;

void block(void*) {
    ++blocked_now;
    core::park();
    --blocked_now;
}

void touch(void* done) { ++*static_cast<std::uint64_t*>(done); }

using handles = std::vector<core::work_unit*>;

void create(handles& units, core::technique how, core::entry_function entry, void* argument) {
    const core::unit_attributes attributes(how);
    core::pool& home = *sched::this_stream()->pinned();
    core::worker& w = core::this_worker();
    for (core::work_unit*& u : units) {
        u = core::prepare(w, home, entry, argument, attributes);
        require_memory(u);
        core::launch(w, u);
    }
}

void join_and_dispose(const handles& units) {
    for (core::work_unit* u : units) {
        require(core::join(u) == base::status::ok, "a unit cannot be joined");
        core::dispose(core::this_worker_or_null(), u);
    }
}

// What the first unit of a process brings along, once.
void warm_up(core::technique how) {
    std::uint64_t done = 0;
    handles one(1, nullptr);
    create(one, how, touch, &done);
    join_and_dispose(one);
    require(done == 1, "a unit got lost");
}

sample per_unit(std::size_t before, std::size_t after, std::uint64_t n) {
    const double grown = after > before ? static_cast<double>(after - before) : 0;
    return {grown / static_cast<double>(n), 0, 0, static_cast<double>(n), {}};
}

sample run_created(std::uint64_t n, core::technique how) {
    warm_up(how);
    handles units(n, nullptr);
    std::uint64_t done = 0;
    const std::size_t before = os::resident_bytes();
    create(units, how, touch, &done);
    const std::size_t after = os::resident_bytes();
    require(done == 0, "units ran that were only to be created");
    join_and_dispose(units);
    require(done == n, "units got lost");
    return per_unit(before, after, n);
}

sample run_blocked(std::uint64_t n, core::technique how) {
    warm_up(how);
    handles units(n, nullptr);
    const std::size_t before = os::resident_bytes();
    create(units, how, block, nullptr);
    while (blocked_now < n) {
        core::yield();
    }
    const std::size_t after = os::resident_bytes();
    for (core::work_unit* u : units) {
        core::unpark(u);
    }
    join_and_dispose(units);
    require(blocked_now == 0, "units got lost");
    return per_unit(before, after, n);
}

configuration row_of(unit_state state, std::uint64_t n, core::technique how,
                     std::size_t stack_size) {
    const bool blocked = state == unit_state::blocked;
    configuration c;
    c.benchmark = "memory";
    c.technique = base::name(how);
    c.suspend_percent = blocked ? 100 : 0;
    c.unit = "bytes";
    c.calibrated = false;
    c.settings = settings_with(1);
    c.settings.stack_size = stack_size;
    c.details = {{"state", name(state)},
                 {"n", n},
                 {"stack_size", std::uint64_t{stack_size}},
                 {"guard", std::string(base::name(c.settings.guard))}};
    c.isolated_arguments = {"memory",
                            "--state",
                            name(state),
                            blocked ? "--blocked" : "--n",
                            std::to_string(n),
                            "--technique",
                            std::string(base::name(how)),
                            "--stack-size",
                            std::to_string(stack_size)};
    c.run = [=](std::uint64_t) { return blocked ? run_blocked(n, how) : run_created(n, how); };
    return c;
}

}  // namespace

rows memory_rows(const bench_options& options) {
    rows result;
    const std::uint64_t created = options.n_or(default_units);
    const std::uint64_t blocked =
        options.blocked != 0 ? options.blocked : std::max<std::uint64_t>(created / 10, 1);
    const auto add = [&](unit_state state, std::uint64_t n, core::technique how,
                         std::size_t stack_size) {
        if (options.raw.state.empty() || options.raw.state == name(state)) {
            result.push_back(row_of(state, n, how, options.stack_size.value_or(stack_size)));
        }
    };
    for (core::technique how : options.techniques) {
        add(unit_state::created, created, how, base::current_settings().stack_size);
        if (how != core::technique::run_to_completion) {
            add(unit_state::blocked, blocked, how, default_blocked_stack);
        }
    }
    return result;
}

}  // namespace lazult::tool
