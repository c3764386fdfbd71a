// SPDX-License-Identifier: BSD-3-Clause
// Messages come to rank 0 without an end, and methods there that are ready go on all the same: in a
// thread that waits in run(), and in one that looks for messages in a loop.
#include "tests/doors/concert/harness.hpp"

#include <lazult/lazult.hpp>
#include <lazult_concert_objects.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

constexpr int in_flight = 200;
constexpr long steps = 2000;

bool is_over = false;
long bounced = 0;
void end_flood() { is_over = true; }

// Sends itself to the other rank, until the flood is over there or here. Rank 0 takes longer, so
// that the messages wait there.
void bounce() {
    ++bounced;
    if (concert_rank() == 0) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(5);
        while (std::chrono::steady_clock::now() < until) {
        }
    }
    if (!is_over) {
        static_cast<void>(outcome<void>(call(on(1 - concert_rank(), 0), bounce)));
    }
}
void begin_flood() {
    for (int i = 0; i < in_flight; ++i) {
        bounce();
    }
}

// Each step needs the ready list once.
concert::continuation<long> waiting;
outcome<long> wait_for_turn(caller<long> by) {
    waiting = by.take();
    return by.given();
}
void give_turn() { waiting.resolve(1L); }
outcome<void> go_on(long left) {
    if (left == 0) {
        return {};
    }
    return all(call(wait_for_turn), call(give_turn)).keep(left).then([](long n, long) {
        return call(go_on, n - 1);
    });
}

void run_in_a_flood() {
    run(on(0, 0), begin_flood);
    run(on(0, 0), go_on, steps);
    run(on(0, 0), end_flood);
    run(on(1, 0), end_flood);
    CHECK(bounced >= in_flight);
}

void in_run(concert::session& world) {
    lazult::testing::doing() = "a thread in run()";
    if (world.rank() == 0) {
        run_in_a_flood();
    }
    world.quiesce();
}

void beside_extract(concert::session& world) {
    lazult::testing::doing() = "a thread that extracts";
    is_over = false;
    world.quiesce();
    if (world.rank() == 0) {
        std::atomic<bool> has_ended{false};
        std::thread other([&has_ended] {
            run_in_a_flood();
            has_ended = true;
        });
        while (!has_ended) {
            concert::extract();
        }
        other.join();
    }
    world.quiesce();
}

}  // namespace

int main() {
    const lazult::runtime streams({.streams = 1});
    concert::session world;
    in_run(world);
    beside_extract(world);
    lazult::testing::passed("goes_on_in_a_flood");
}
