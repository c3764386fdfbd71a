// SPDX-License-Identifier: BSD-3-Clause
// Two methods on two ranks, each of which is inside one object and waits for the other's. They are
// reported. Nobody can end them, so the program ends badly.
#include "tests/doors/concert/harness.hpp"

#include <lazult_concert_objects.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace concert = lazult::concert;
using concert::call;
using concert::global_ptr;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

struct partner {
    int entered = 0;
    bool has_begun() const { return entered != 0; }
    long touch() { return ++entered; }
    // Goes on when the other one has begun, too.
    outcome<long> meet(global_ptr<partner> other) {
        ++entered;
        return call(until_begun, other).keep(other).then([](global_ptr<partner> o, bool) {
            return call(&partner::touch, o);
        });
    }
    static outcome<bool> until_begun(global_ptr<partner> other) {
        return call(concert::unguarded<&partner::has_begun>, other)
            .keep(other)
            .then([](global_ptr<partner> o, bool has) -> outcome<bool> {
                if (has) {
                    return true;
                }
                return call(until_begun, o);
            });
    }
};

}  // namespace

int main() {
    concert::session world;
    if (world.rank() == 0) {
        const auto a = run(on(0), concert::create<partner>);
        const auto b = run(on(world.size() - 1), concert::create<partner>);
        std::thread([] {
            std::this_thread::sleep_for(std::chrono::seconds(12));
            std::_Exit(3);
        }).detach();
        const lazult::thread first([=] { run(&partner::meet, a, b); });
        run(&partner::meet, b, a);
    }
    world.quiesce();
    lazult::testing::passed("it came through");
}
