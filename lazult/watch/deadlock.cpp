// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/deadlock.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "lazult/watch/subjects.hpp"

namespace lazult::watch {
namespace {

using core::life_state;
using core::work_unit;

// field     written by           read by        order
// teller    set_wait_describer   find_objects   release / acquire
constinit std::atomic<wait_describer> teller{nullptr};

// --- whether there is a deadlock

// Returns a sum that changes when a stream starts or suspends a unit, or goes to sleep.
std::uint64_t count_steps() {
    std::uint64_t sum = 0;
    core::for_each_worker(
        [](core::worker& w, void* argument) {
            *static_cast<std::uint64_t*>(argument) +=
                w.count.started.get() + w.count.suspensions.get() + w.count.sleeps.get();
        },
        &sum);
    return sum;
}

bool has_units() {
    bool found = false;
    core::for_each_unit(
        [](work_unit& u, void* argument) {
            if (u.state() != life_state::finished && !is_scheduler(u)) {
                *static_cast<bool*>(argument) = true;
            }
        },
        &found);
    return found;
}

bool all_sleep_for_good(const std::vector<os::thread_look>& all) {
    return !all.empty() && std::all_of(all.begin(), all.end(),
                                       [](const auto& each) { return each.sleeps_for_good; });
}

bool is_dead(bool (*awaits_events)() noexcept) {
    const std::vector<os::thread_look> before = os::look_at_other_threads();
    if (!all_sleep_for_good(before) || awaits_events() || os::may_be_woken_by_signals()) {
        return false;
    }
    const timespec pause{0, deadlock_finder::between_looks_ns};
    ::nanosleep(&pause, nullptr);
    return os::look_at_other_threads() == before && has_units();
}

// --- which unit waits for what

struct stuck_unit {
    const work_unit* unit;
    std::vector<known_wait> waits;
    std::size_t walk = 0;  // the first walk of append_circles() that reached it; 0: none did
};

// Returns all units that have not ended, except for schedulers, ordered by address.
std::vector<stuck_unit> stuck_units() {
    std::vector<stuck_unit> all;
    core::for_each_unit(
        [](work_unit& u, void* argument) {
            if (u.state() != life_state::finished && !is_scheduler(u)) {
                static_cast<std::vector<stuck_unit>*>(argument)->push_back({&u, {}, 0});
            }
        },
        &all);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.unit < b.unit; });
    return all;
}

stuck_unit* entry_of(std::vector<stuck_unit>& all, const work_unit* u) {
    const auto at = std::lower_bound(
        all.begin(), all.end(), u,
        [](const auto& each, const work_unit* wanted) { return each.unit < wanted; });
    return at == all.end() || at->unit != u ? nullptr : &*at;
}

// Returns a unit's joiner, as the unit's join word names it, or nullptr.
const work_unit* joiner_of(const work_unit& u) noexcept {
    const auto word = u.join.peek();
    if (core::join_word<>::is_unit(word)) {
        return reinterpret_cast<const work_unit*>(word);
    }
    constexpr auto tag = core::completion::tag;
    if (!core::join_word<>::is_waiter(word) || (word & tag) == 0) {
        return nullptr;
    }
    return core::joiner_of(*reinterpret_cast<const core::completion*>(word & ~tag));
}

void find_joiners(std::vector<stuck_unit>& all) {
    for (const stuck_unit& each : all) {
        if (stuck_unit* joiner = entry_of(all, joiner_of(*each.unit)); joiner != nullptr) {
            joiner->waits.push_back({"end", each.unit, nullptr, each.unit});
        }
    }
}

void find_objects(std::vector<stuck_unit>& all) {
    // pairs with: set_wait_describer()
    const wait_describer tell = teller.load(std::memory_order_acquire);
    for (stuck_unit& each : all) {
        if (tell != nullptr && each.unit->state() == life_state::blocked) {
            tell(*each.unit, each.waits);
        }
        if (each.waits.empty() && each.unit->park.is_parked()) {
            each.waits.push_back({park_words, each.unit});
        }
    }
}

// Returns the unit that `u` waits for; nullptr if there are several, or if it is not known.
stuck_unit* needed_by(std::vector<stuck_unit>& all, const stuck_unit& u) {
    if (u.waits.size() != 1) {
        return nullptr;
    }
    const known_wait& only = u.waits.front();
    return entry_of(all, only.for_end_of != nullptr ? only.for_end_of : only.held_by);
}

// --- the text of the report

std::string number(const work_unit& u) { return "ULT " + std::to_string(core::number_of(u)); }

std::string words_of(const known_wait& w) {
    if (w.for_end_of != nullptr) {
        return "the end of " + number(*w.for_end_of);
    }
    const std::string held = w.held_by == nullptr ? "" : ", held by " + number(*w.held_by);
    const bool has_ended = w.held_by != nullptr && (w.held_by->state() == life_state::finished ||
                                                    w.held_by->state() == life_state::unused);
    return object_words(w) + held + (has_ended ? ", which has ended" : "");
}

std::string words_of(const stuck_unit& u) {
    switch (u.unit->state()) {
        case life_state::ready: return " is ready, in a pool that no stream looks at";
        case life_state::running:
            if (u.waits.empty()) {
                return " runs, and its OS thread sleeps in the system";
            }
            break;
        default: break;
    }
    if (u.waits.empty()) {
        return " is suspended: nobody knows what it waits for";
    }
    std::string text = " waits for ";
    const std::size_t told = std::min(u.waits.size(), most_told);
    for (std::size_t i = 0; i < told; ++i) {
        text += (i == 0 ? "" : " or ") + words_of(u.waits[i]);
    }
    if (u.waits.size() > told) {
        text += " or " + std::to_string(u.waits.size() - told) + " more";
    }
    return text;
}

void append_backtrace(std::string& text, const work_unit& u) {
    core::backtrace frames;
    if (u.state() == life_state::running) {
        return;
    }
    if (const char* reason = core::capture_suspended(u, frames); reason != nullptr) {
        text += std::string("    no backtrace: ") + reason + "\n";
    } else {
        core::append_lines(text, frames, "    ");
    }
}

void append_circle(std::string& text, std::vector<stuck_unit>& all, const stuck_unit& in_it) {
    std::vector<const work_unit*> circle{in_it.unit};
    for (const stuck_unit* u = needed_by(all, in_it); u != &in_it; u = needed_by(all, *u)) {
        circle.push_back(u->unit);
    }
    std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
    text += "  circle:";
    for (const work_unit* u : circle) {
        text += " " + number(*u) + " ->";
    }
    text += " " + number(*circle.front()) + "\n";
}

// Appends each circle once, from its first unit on. Each unit needs one other at most, so a walk
// follows these needs. A walk that comes to a unit of its own has found a circle. A walk that comes
// to a unit of another walk finds nothing new.
void append_circles(std::string& text, std::vector<stuck_unit>& all) {
    std::size_t walk = 0;
    for (stuck_unit& start : all) {
        ++walk;
        stuck_unit* at = &start;
        for (; at != nullptr && at->walk == 0; at = needed_by(all, *at)) {
            at->walk = walk;
        }
        if (at != nullptr && at->walk == walk) {
            append_circle(text, all, *at);
        }
    }
}

}  // namespace

void set_wait_describer(wait_describer tell) noexcept {
    teller.store(tell, std::memory_order_release);  // pairs with: find_objects(), load of teller
}

bool deadlock_finder::look() {
    const std::uint64_t steps = count_steps();
    if (std::exchange(steps_, steps) != steps) {
        reported_ = false;
        return false;
    }
    if (reported_ || !is_dead(awaits_events_) || count_steps() != steps) {
        return false;
    }
    reported_ = true;
    return true;
}

std::string deadlock_finder::report() {
    constexpr std::size_t most = 100;
    std::vector<stuck_unit> all = stuck_units();
    find_joiners(all);
    find_objects(all);
    std::string text =
        "lazult: deadlock: nothing in this process can run any more: all its OS threads sleep "
        "without a deadline, and " +
        std::to_string(all.size()) + " units have not ended\n";
    append_circles(text, all);
    for (std::size_t i = 0; i != std::min(all.size(), most); ++i) {
        text += "  " + core::describe_unit(*all[i].unit) + words_of(all[i]) + "\n";
        append_backtrace(text, *all[i].unit);
    }
    if (all.size() > most) {
        text += "  and " + std::to_string(all.size() - most) + " more\n";
    }
    return text;
}

}  // namespace lazult::watch
