// SPDX-License-Identifier: BSD-3-Clause
// Units of one stream that give way.
#include <lazult/lazult.hpp>

#include <array>

#include "cases.hpp"

namespace {

long taken;

// Where control alternates, neither is more than one turn behind when the other one ends.
void take_turns(bool first, long turns) {
    begin_unit(first);
    for (long i = 0; i < turns; ++i, ++taken) {
        lazult::this_thread::yield();
    }
    bench_check(taken >= 2 * turns - 1, "the threads do not alternate");
}

double yield(long turns) {
    taken = 0;
    lazult::thread one(take_turns, true, turns);
    lazult::thread other(take_turns, false, turns);
    one.join();
    other.join();
    bench_check(taken == 2 * turns, "how many turns there were");
    return static_cast<double>(taken);
}

constexpr int batch = 128;
long ended;

double suspend_once(long rounds) {
    std::array<lazult::thread, batch> threads;
    ended = 0;
    for (long round = 0; round < rounds; ++round) {
        bool first = true;
        for (lazult::thread& t : threads) {
            t = lazult::thread([first] {
                begin_unit(first);
                lazult::this_thread::yield();
                ++ended;
            });
            first = false;
        }
        for (lazult::thread& t : threads) {
            t.join();
        }
    }
    bench_check(ended == rounds * batch, "how many units ran");
    return static_cast<double>(ended);
}

}  // namespace

case_list switching_cases() {
    return {{"yield", "yield of one of 2 threads", 1, 500000, yield},
            {"suspend-once", "create and join one of 128 threads that yields once", 1, 2000,
             suspend_once}};
}
