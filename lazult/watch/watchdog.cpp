// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/watchdog.hpp"

#include <cstdio>
#include <string>

namespace lazult::watch {
namespace {

constexpr std::int64_t patience_ns = 500'000'000;  // the wait for the answer of an OS thread

// What an OS thread answers, in a signal handler. It may no longer run `unit`.
struct answer {
    const core::work_unit* unit = nullptr;
    bool is_still_there = false;
    int rank = -1;
    core::backtrace frames;

    static void give(void* argument) noexcept {
        auto& mine = *static_cast<answer*>(argument);
        mine.is_still_there = core::current_unit() == mine.unit;
        if (mine.is_still_there) {
            const core::worker& w = core::running_worker();
            mine.rank = w.stream.load(std::memory_order_relaxed) == nullptr ? -1 : w.rank;
            core::capture_interrupted(mine.frames);
        }
    }
};

std::string seconds(std::int64_t ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(ns) / 1e9);
    return text;
}

}  // namespace

void watchdog::look() {
    running_.look();
    for (stretch& each : running_.all()) {
        if (each.unit != nullptr && !each.reported && running_.now() - each.since >= limit_ns_) {
            each.reported = true;
            report(each);
        }
    }
}

void watchdog::report(const stretch& late) const {
    answer there;
    there.unit = late.unit;
    const bool answered = os::ask_thread(late.system_thread, answer::give, &there, patience_ns);
    if (answered && !there.is_still_there) {
        return;
    }
    std::string text =
        "lazult: watchdog: " + core::describe_unit(*late.unit) + " on " +
        (answered && there.rank >= 0 ? "stream " + std::to_string(there.rank) + ", " : "") +
        "OS thread " + std::to_string(late.system_thread) +
        " has not reached a scheduling point for " + seconds(running_.now() - late.since) + "\n";
    if (answered) {
        core::append_lines(text, there.frames, "  ");
    } else {
        text += "  no backtrace: its OS thread does not answer SIGURG\n";
    }
    std::fputs(text.c_str(), stderr);
}

}  // namespace lazult::watch
