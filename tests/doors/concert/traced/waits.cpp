// SPDX-License-Identifier: BSD-3-Clause
// A program for tests/doors/concert/trace_waits_test.py: a ULT waits for the result of a method,
// which another ULT gives.
#include <lazult/lazult.hpp>
#include <lazult_concert_methods.hpp>

#include <cstdio>

namespace {

namespace concert = lazult::concert;

struct under_way {
    concert::continuation<long> to;
    long result = 0;
};

concert::outcome<long> come_later(concert::caller<long> by, under_way* it) {
    it->to = by.take();
    return by.given();
}
void give(under_way* it) { it->to.resolve(7L); }

}  // namespace

int main() {
    const lazult::runtime running(lazult::options{.streams = 1});
    under_way it;
    lazult::thread waiter({.how = lazult::technique::lazy_stack},
                          [&it] { it.result = concert::run(come_later, &it); });
    lazult::this_thread::yield();
    concert::run(give, &it);
    waiter.join();
    return it.result == 7 ? 0 : 1;
}
