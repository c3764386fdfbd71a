// SPDX-License-Identifier: BSD-3-Clause
// A rank with one stream that only looks for messages, and never gives way, answers calls whose
// methods block.
#include "tests/doors/concert/harness.hpp"

#include <lazult/lazult.hpp>
#include <lazult_concert_objects.hpp>

#include <atomic>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

struct box {
    long sum = 0;
    concert::continuation<long> waiting;

    outcome<long> add_late(long n) {
        return all(call(wait_for_word, &waiting), call(give_word, &waiting))
            .keep(this, n)
            .then([](box* self, long m, long) { return self->sum += m; });
    }
    static outcome<long> wait_for_word(caller<long> by, concert::continuation<long>* to) {
        *to = by.take();
        return by.given();
    }
    static void give_word(const concert::continuation<long>* to) { to->resolve(1); }
};

std::atomic<bool> is_serving{true};
void end_service() { is_serving = false; }

}  // namespace

int main() {
    const lazult::runtime streams({.streams = 1});
    concert::session world;
    const int server = world.size() - 1;
    if (world.rank() == 0) {
        const auto far = run(on(server, 0), concert::create<box>);
        for (long i = 1; i <= 200; ++i) {
            CHECK(run(&box::add_late, far, 1L) == i);
        }
        run(concert::destroy, far);
        run(on(server), end_service);
    }
    if (world.rank() == server) {
        while (is_serving) {
            concert::extract();
        }
    }
    world.quiesce();
    lazult::testing::passed("serves_by_extract");
}
