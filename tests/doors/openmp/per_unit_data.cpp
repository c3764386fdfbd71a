// SPDX-License-Identifier: BSD-3-Clause
// What stays with a thread of a team and with a task at whatever they suspend, with signals of a
// timer meanwhile; and regions and tasks leave nothing behind.
#include "tests/support/unit_state.hpp"

#include <omp.h>

#include <cstdint>
#include <lazult/lazult.hpp>
#include <string>

#include "check.h"
#include "tests/support/left_behind.hpp"

namespace {

using lazult::support::errno_promise;
using lazult::support::held;
using lazult::support::lost_unit_state;

void nothing_was_lost(const char* lost, const char* by) {
    if (lost != nullptr) {
        std::fprintf(stderr, "%s lost %s\n", by, lost);
        std::abort();
    }
}

void region_inside() {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        lazult::this_thread::yield();
        sum += 1;
    }
    CHECK(sum == 2);
}

// All threads of a team come here equally often, as barriers want it.
void suspend_thread(int turn) {
    if (turn % 3 == 0) {
#pragma omp barrier
    } else if (turn % 3 == 1) {
#pragma omp critical
        lazult::this_thread::yield();
    } else {
        region_inside();
    }
}

void team() {
#pragma omp parallel num_threads(4)
    {
        int turn = 0;
        nothing_was_lost(lost_unit_state(omp_get_thread_num(), errno_promise::kept,
                                         [&] { suspend_thread(turn++); }),
                         "a thread of a team");
    }
}

// With a child, that another thread may run first, and with a yield.
void suspend_task(int turn) {
    if (turn % 2 == 0) {
        int answer = 0;
#pragma omp task shared(answer)
        {
            lazult::this_thread::yield();
            answer = 1;
        }
#pragma omp taskwait
        CHECK(answer == 1);
    } else {
        lazult::this_thread::yield();
#pragma omp taskyield
    }
}

void tasks() {
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 12; ++i) {
#pragma omp task firstprivate(i)
        {
            int turn = i;
            nothing_was_lost(lost_unit_state(i, errno_promise::kept, [&] { suspend_task(turn++); }),
                             "a task");
        }
    }
}

void rounds(int least) {
    const lazult::support::timer_signals signals;
    const int before = signals.taken();
    for (int round = 0; round < least || signals.taken() < before + 10; ++round) {
        team();
        tasks();
    }
}

// The door keeps as many threads for later teams as there ever were at once, each with a stack
// since it first suspended: that may rise by a few, by chance, while what is lost would rise with
// the rounds.
std::string left_at_rest(held before) {
    constexpr int most_kept = 4 + 4 * 2;
    before.units += most_kept;
    before.stacks += most_kept;
    return lazult::support::left_behind(before);
}

}  // namespace

int main() {
    omp_set_max_active_levels(3);
    rounds(2);
    lazult::this_thread::sleep_for(std::chrono::milliseconds(50));
    const held before;
    rounds(100);
    const std::string left = left_at_rest(before);
    if (!left.empty()) {
        std::fprintf(stderr, "left behind: %s\n", left.c_str());
        return 1;
    }
    return 0;
}
