// SPDX-License-Identifier: BSD-3-Clause
// An OS thread runs methods that wake each other, while the only stream looks for messages and
// never gives way. Messages take the strand from the OS thread again and again. It goes on all the
// same.
#include "tests/doors/concert/harness.hpp"

#include <lazult/lazult.hpp>
#include <lazult_concert_objects.hpp>

#include <array>
#include <atomic>
#include <thread>
#include <utility>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

constexpr long steps_of_dance = 10'000'000;
std::array<concert::continuation<void>, 2> waiting;
std::array<bool, 2> waits{};
long steps = 0;
long calls = 0;

void wake(std::size_t dancer) {
    if (std::exchange(waits[dancer], false)) {
        waiting[dancer].resolve();
    }
}
outcome<void> wait_for_other(caller<void> by, std::size_t dancer) {
    waiting[dancer] = by.take();
    waits[dancer] = true;
    wake(1 - dancer);
    return by.given();
}
outcome<void> dance(std::size_t dancer) {
    if (++steps >= steps_of_dance) {
        wake(1 - dancer);
        return {};
    }
    return all(call(wait_for_other, dancer)).keep(dancer).then([](std::size_t me) {
        return call(dance, me);
    });
}
outcome<void> dance_in_pairs() {
    return all(call(dance, std::size_t{0}), call(dance, std::size_t{1})).then([] {});
}
long count_call() { return ++calls; }
long count_steps() { return steps; }

}  // namespace

int main() {
    const lazult::runtime streams({.streams = 1});
    concert::session world;
    constexpr long calls_of_rank = 2000;
    if (world.rank() == 0) {
        std::atomic<bool> is_over{false};
        std::thread dancer([&is_over] {
            run(on(0, 0), dance_in_pairs);
            is_over = true;
        });
        while (!is_over) {
            concert::extract();
        }
        dancer.join();
        CHECK(steps >= steps_of_dance);
    } else if (world.rank() == 1) {
        while (run(on(0, 0), count_steps) == 0) {
        }
        for (long i = 1; i <= calls_of_rank; ++i) {
            CHECK(run(on(0, 0), count_call) == i);
        }
    }
    world.quiesce();
    lazult::testing::passed("runs_beside_a_busy_stream");
}
