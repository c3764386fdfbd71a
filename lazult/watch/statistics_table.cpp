// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/statistics_table.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <new>
#include <vector>

#include "lazult/watch/subjects.hpp"

namespace lazult::watch {
namespace {

using core::counter;
using core::counters;
using core::technique_count;
using core::worker;

// One counter: a column of the table, and a member in JSON.
struct column {
    const char* title;
    const char* name;
    std::uint64_t (*value)(const worker&);
};

std::uint64_t total(const counter (&numbers)[technique_count]) noexcept {
    std::uint64_t sum = 0;
    for (const counter& one : numbers) {
        sum += one.get();
    }
    return sum;
}

constexpr std::array columns{
    column{"created", "created", [](const worker& w) { return total(w.count.created); }},
    column{"started", "started", [](const worker& w) { return w.count.started.get(); }},
    column{"promoted", "promoted", [](const worker& w) { return total(w.count.promoted); }},
    column{"fallbacks", "fallbacks", [](const worker& w) { return total(w.count.fallbacks); }},
    column{"suspended", "suspensions", [](const worker& w) { return w.count.suspensions.get(); }},
    column{"stolen", "steals", [](const worker& w) { return w.count.steals.get(); }},
    column{"sleeps", "sleeps", [](const worker& w) { return w.count.sleeps.get(); }},
    column{"idle us", "idle_us", [](const worker& w) { return w.count.slept_ns.get() / 1000; }},
    column{"stacks", "stacks_made", [](const worker& w) { return w.stacks.made_estimate(); }},
    column{"in use", "stacks_in_use", [](const worker& w) { return w.stacks.in_use_estimate(); }},
};
using row = std::array<std::uint64_t, columns.size()>;

struct technique_row {
    std::uint64_t created = 0;
    std::uint64_t planned = 0;
    std::uint64_t promoted = 0;
    std::uint64_t fallbacks = 0;
};

struct collected {
    struct thread {
        worker_name name;
        row values;
    };
    std::vector<thread> threads;
    row sum{};
    std::array<technique_row, technique_count> techniques;

    static void add(worker& w, void* all) { static_cast<collected*>(all)->add(w); }
    void add(const worker& w) {
        thread& t = threads.emplace_back(thread{worker_name(w), {}});
        for (std::size_t i = 0; i < columns.size(); ++i) {
            t.values[i] = columns[i].value(w);
            sum[i] += t.values[i];
        }
        for (std::size_t i = 0; i < techniques.size(); ++i) {
            techniques[i].created += w.count.created[i].get();
            techniques[i].planned += w.count.planned[i].get();
            techniques[i].promoted += w.count.promoted[i].get();
            techniques[i].fallbacks += w.count.fallbacks[i].get();
        }
    }
};

std::uint64_t peak_bytes() noexcept {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
}

const char* technique_name(std::size_t i) noexcept {
    // The names are literals, so they end in a zero.
    return base::name(static_cast<core::technique>(i)).data();
}

void print_row(std::FILE* file, const char* name, const row& values) {
    std::fprintf(file, "%-12s", name);
    for (const std::uint64_t value : values) {
        std::fprintf(file, " %11" PRIu64, value);
    }
    std::fputc('\n', file);
}

void print_table(std::FILE* file, const collected& all) {
    std::fprintf(file, "lazult: statistics of process %d\n%-12s", static_cast<int>(::getpid()), "");
    for (const column& each : columns) {
        std::fprintf(file, " %11s", each.title);
    }
    std::fputc('\n', file);
    for (const collected::thread& t : all.threads) {
        print_row(file, t.name.text, t.values);
    }
    print_row(file, "all", all.sum);
    std::fprintf(file, "%-24s %11s %11s %11s %11s\n", "", "created", "planned", "promoted",
                 "fallbacks");
    for (std::size_t i = 0; i < all.techniques.size(); ++i) {
        const technique_row& t = all.techniques[i];
        std::fprintf(file, "%-24s %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64 "\n",
                     technique_name(i), t.created, t.planned, t.promoted, t.fallbacks);
    }
    const core::stack_statistics stacks = core::count_stacks();
    std::fprintf(
        file,
        "memory: %" PRIu64 " bytes of addresses for %" PRIu64 " stacks, of which %" PRIu64
        " are free for any stream; the process has %zu bytes in memory, and had %" PRIu64 "\n",
        stacks.reserved_bytes, stacks.carved, stacks.stored, os::resident_bytes(), peak_bytes());
}

void print_json_row(std::FILE* file, const row& values) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::fprintf(file, "%s\"%s\": %" PRIu64, i == 0 ? "" : ", ", columns[i].name, values[i]);
    }
}

void print_json(std::FILE* file, const collected& all) {
    std::fprintf(file, "{\"process\": %d,\n \"threads\": [", static_cast<int>(::getpid()));
    for (const collected::thread& t : all.threads) {
        std::fprintf(file, "%s\n  {\"name\": \"%s\", ", &t == all.threads.data() ? "" : ",",
                     t.name.text);
        print_json_row(file, t.values);
        std::fputc('}', file);
    }
    std::fputs("],\n \"all\": {", file);
    print_json_row(file, all.sum);
    std::fputs("},\n \"techniques\": {", file);
    for (std::size_t i = 0; i < all.techniques.size(); ++i) {
        const technique_row& t = all.techniques[i];
        std::fprintf(file,
                     "%s\n  \"%s\": {\"created\": %" PRIu64 ", \"planned\": %" PRIu64
                     ", \"promoted\": %" PRIu64 ", \"fallbacks\": %" PRIu64 "}",
                     i == 0 ? "" : ",", technique_name(i), t.created, t.planned, t.promoted,
                     t.fallbacks);
    }
    const core::stack_statistics stacks = core::count_stacks();
    std::fprintf(file,
                 "},\n \"memory\": {\"stacks\": %" PRIu64 ", \"stacks_for_all\": %" PRIu64
                 ", \"stack_addresses\": %" PRIu64 ", \"resident\": %zu, \"peak\": %" PRIu64 "}}\n",
                 stacks.carved, stacks.stored, stacks.reserved_bytes, os::resident_bytes(),
                 peak_bytes());
}

}  // namespace

void write_statistics(std::FILE* file, bool as_json) noexcept {
    try {
        collected all;
        core::for_each_worker(collected::add, &all);
        std::reverse(all.threads.begin(), all.threads.end());  // the oldest thread first
        as_json ? print_json(file, all) : print_table(file, all);
    } catch (const std::bad_alloc&) {
        base::warn("LAZULT_STATS: there is no memory to write the counters");
    }
}

}  // namespace lazult::watch
