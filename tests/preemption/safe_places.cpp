// SPDX-License-Identifier: BSD-3-Clause
// How often a signal finds ordinary code at a place that each level takes for safe, and how many
// signals in a row find none. It counts in one ULT and never yields.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/preemption/example.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

volatile double kept = 0;

[[gnu::noinline]] unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

void stencil() {
    std::vector<double> from(400 * 400, 1.0);
    std::vector<double> to(from);
    for (int round = 0; round < 20; ++round) {
        for (std::size_t i = 401; i + 401 < from.size(); ++i) {
            to[i] = 0.25 * (from[i - 1] + from[i + 1] + from[i - 400] + from[i + 400]);
        }
        std::swap(from, to);
    }
    kept = from[1000];
}

std::vector<int> numbers() {
    std::mt19937 random(1);
    std::vector<int> made(200'000);
    std::generate(made.begin(), made.end(), random);
    return made;
}

void sort() {
    std::vector<int> all = numbers();
    std::sort(all.begin(), all.end());
    kept = all[7];
}

void sort_by_libc() {
    std::vector<int> all = numbers();
    std::qsort(all.data(), all.size(), sizeof(int), [](const void* a, const void* b) {
        const int x = *static_cast<const int*>(a);
        const int y = *static_cast<const int*>(b);
        return x < y ? -1 : x > y ? 1 : 0;
    });
    kept = all[7];
}

void strings() {
    std::string all;
    for (int i = 0; i < 100'000; ++i) {
        all += std::to_string(i) + " and a few more words, ";
    }
    kept = static_cast<double>(all.size());
}

void maps() {
    std::map<std::string, int> words;
    for (int i = 0; i < 50'000; ++i) {
        ++words["word " + std::to_string(i * 7919 % 5000)];
    }
    kept = static_cast<double>(words.size());
}

struct work {
    const char* name;
    void (*once)();
};
constexpr work all_work[] = {{"fib(27)", [] { kept = fib(27); }},
                             {"stencil", stencil},
                             {"std::sort", sort},
                             {"qsort", sort_by_libc},
                             {"strings", strings},
                             {"std::map", maps}};

// A process of its own for each, because the figures are the process's.
[[noreturn]] void measure(const work& each) {
    preemption::count_safe_places(1ms);
    preemption::run_units(1, [&each](int) {
        for (const auto end = clock_type::now() + 1s; clock_type::now() < end;) {
            each.once();
        }
    });
    const preemption::figures& seen = preemption::counted();
    std::printf("%-10s %8lu", each.name, seen.signals);
    for (const std::uint64_t safe : seen.safe) {
        std::printf(" %8.1f",
                    100.0 * static_cast<double>(safe) / static_cast<double>(seen.signals));
    }
    std::printf(" %8lu\n", seen.longest_row);
    std::fflush(stdout);
    // What computes in its own frames alone must be found safe nearly always.
    const bool must_be_safe = each.name[0] == 'f';
    std::_Exit(seen.signals < 100 || (must_be_safe && seen.safe.back() * 10 < seen.signals * 9));
}

}  // namespace

int main() {
    std::puts(
        "             signals: % safe by none, instruction, chain, locks; longest row unsafe");
    std::fflush(stdout);
    int failures = 0;
    for (const work& each : all_work) {
        failures += preemption::in_child([&each] { measure(each); }) ? 0 : 1;
    }
    return failures;
}
