// SPDX-License-Identifier: BSD-3-Clause
// Messages come in while a rank's contexts are always ready: a call from another rank ends two
// methods that wake each other for ever.
#include "tests/doors/concert/harness.hpp"

#include <lazult/lazult.hpp>
#include <lazult_concert_objects.hpp>

#include <array>
#include <cstdlib>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

struct dance {
    std::array<concert::continuation<void>, 2> waiting;
    std::array<bool, 2> waits{};
    bool has_ended = false;
    long steps = 0;

    outcome<void> wait(caller<void> by, int dancer) {
        const auto i = static_cast<std::size_t>(dancer);
        waiting[i] = by.take();
        waits[i] = true;
        wake(1 - dancer);
        return by.given();
    }
    void wake(int dancer) {
        const auto i = static_cast<std::size_t>(dancer);
        if (waits[i]) {
            waits[i] = false;
            waiting[i].resolve();
        }
    }
};
dance both;

outcome<void> wait_of_dancer(caller<void> by, int dancer) { return both.wait(by, dancer); }

outcome<void> steps_of(int dancer) {
    ++both.steps;
    if (both.has_ended) {
        both.wake(1 - dancer);
        return {};
    }
    return all(call(wait_of_dancer, dancer)).keep(dancer).then([](int me) {
        return call(steps_of, me);
    });
}

outcome<long> dance_until_told() {
    return all(call(steps_of, 0), call(steps_of, 1)).then([] { return both.steps; });
}

void end_dance() { both.has_ended = true; }

}  // namespace

int main(int argc, char** argv) {
    const unsigned streams = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
    const lazult::runtime runtime({.streams = streams});
    concert::session world;
    if (world.rank() == 0) {
        CHECK(run(on(0, 0), dance_until_told) > 2);
    } else if (world.rank() == 1) {
        run(on(0, 0), end_dance);
    }
    world.quiesce();
    lazult::testing::passed("stops_by_message");
}
