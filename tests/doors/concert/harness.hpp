// SPDX-License-Identifier: BSD-3-Clause
// What the test programs share: every rank runs main(), and a check that fails ends the job.
#pragma once

#include <lazult_concert.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/left_behind.hpp"

#define CHECK(condition) \
    ((condition) ? static_cast<void>(0) : lazult::testing::failed(#condition, __FILE__, __LINE__))

namespace lazult::testing {

inline std::string& doing() {
    static std::string what = "start";
    return what;
}

[[noreturn]] inline void failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: rank %d, %s: this does not hold: %s (%s)\n", file, line,
                 concert_rank(), doing().c_str(), condition, concert_last_error());
    std::abort();
}

struct configuration {
    std::string name;
    concert_options options;

    // No sender waits for a receiver.
    bool is_pull() const { return options.scheme != CONCERT_PUSH; }
    // Also where half of the ranks are taken to be on another node.
    bool is_far() const {
        return options.tiers == CONCERT_TIERS_FAR || std::getenv("LAZULT_CONCERT_NODE") != nullptr;
    }
    bool aggregates() const { return options.aggregate_bytes != 0; }
    // One-sided calls may take thousands of times longer than stores.
    std::uint64_t scaled(std::uint64_t count) const {
        return !is_far() || aggregates() ? count : (count + 99) / 100;
    }
};

inline std::vector<configuration> configurations() {
    std::vector<configuration> all;
    static const char* const names[] = {"pull", "push", "auto"};
    for (const int scheme : {CONCERT_PULL, CONCERT_PUSH, CONCERT_AUTO}) {
        for (const int tiers : {CONCERT_TIERS_AUTO, CONCERT_TIERS_FAR}) {
            for (const std::size_t aggregate : {std::size_t{4096}, std::size_t{0}}) {
                configuration each;
                each.name = std::string(names[scheme]) +
                            (tiers == CONCERT_TIERS_FAR ? ", far tier" : ", any tier") +
                            (aggregate != 0 ? ", aggregated" : "");
                each.options = concert::default_options();
                each.options.scheme = scheme;
                each.options.tiers = tiers;
                each.options.aggregate_bytes = aggregate;
                all.push_back(each);
            }
        }
    }
    return all;
}

// A queue of each kind in turn. `change` may alter its options.
inline void with_each_queue(const std::function<void(concert::queue&, const configuration&)>& body,
                            const std::function<void(concert_options&)>& change = {}) {
    for (configuration each : configurations()) {
        if (change) {
            change(each.options);
        }
        doing() = each.name;
        const auto began = std::chrono::steady_clock::now();
        concert::queue queue(each.options);
        body(queue, each);
        if (concert_rank() == 0) {
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
            std::printf("%s: %.3f s\n", each.name.c_str(), took.count());
            std::fflush(stdout);
        }
    }
}

// When all is closed: a queue or a session that keeps units or stacks of the runtime's fails
// whatever ran before it.
struct nothing_is_left {
    support::held before;
    nothing_is_left() = default;
    ~nothing_is_left() {
        const std::string left = support::left_behind(before, support::looked_at::units_and_stacks);
        if (!left.empty()) {
            std::fprintf(stderr, "left behind: %s\n", left.c_str());
            std::_Exit(1);
        }
    }
};
inline const nothing_is_left at_exit;

inline void passed(const char* what) {
    if (concert_rank() == 0) {
        std::printf("%s: passed on %d ranks\n", what, concert_size());
    }
}

}  // namespace lazult::testing
