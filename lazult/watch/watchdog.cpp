// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/watchdog.hpp"

#include <cstdio>
#include <string>

#include "lazult/watch/subjects.hpp"

namespace lazult::watch {
namespace {

constexpr std::int64_t patience_ns = 500'000'000;  // the wait for the answer of an OS thread

// Reads a plain field that another thread writes, by one load. Any value that it had will do.
template <class T>
T glance(T& field) noexcept {
    return __atomic_load_n(&field, __ATOMIC_RELAXED);
}

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
            mine.rank = w.stream == nullptr ? -1 : w.rank;
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

// Called under the registry's lock, so the worker stays, even if its OS thread ends meanwhile.
void watchdog::look_at(core::worker& w, void* self) {
    core::host* here = glance(w.here);
    const core::work_unit* unit = glance(w.current);
    // A scheduler's own code has no scheduling points to reach.
    if (here == nullptr || (unit != nullptr && is_scheduler(*unit))) {
        unit = nullptr;
    }
    int points = 0;
    if (unit != nullptr) {
        os::read_memory(here->scheduling_points(), &points,
                        sizeof points);  // the scheduler may be gone by now
    }
    auto* all = static_cast<watchdog*>(self);
    all->note({&w, unit, w.count.started.get(), w.count.suspensions.get(), points,
               glance(w.system_thread), all->now_, false});
}

void watchdog::note(const stretch& now) {
    for (stretch& each : all_) {
        if (each.where == now.where) {
            const bool goes_on = each.unit == now.unit && each.started == now.started &&
                                 each.suspensions == now.suspensions &&
                                 each.scheduling_points == now.scheduling_points;
            each = goes_on ? each : now;
            return;
        }
    }
    all_.push_back(now);
}

void watchdog::look() {
    now_ = os::now_ns();
    core::for_each_worker(look_at, this);
    for (stretch& each : all_) {
        if (each.unit != nullptr && !each.reported && now_ - each.since >= limit_ns_) {
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
        " has not reached a scheduling point for " + seconds(now_ - late.since) + "\n";
    if (answered) {
        core::append_lines(text, there.frames, "  ");
    } else {
        text += "  no backtrace: its OS thread does not answer SIGURG\n";
    }
    std::fputs(text.c_str(), stderr);
}

}  // namespace lazult::watch
