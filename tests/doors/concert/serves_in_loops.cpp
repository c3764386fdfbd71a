// SPDX-License-Identifier: BSD-3-Clause
// A rank answers calls while a method of it computes in a loop, and before its contexts compute.
#include "tests/doors/concert/harness.hpp"

#include <lazult/lazult.hpp>
#include <lazult_concert_objects.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

// On the rank that serves.
bool is_asked = false;
std::int64_t calls_before_it_was = 0;
void ask() { is_asked = true; }

void compute_for(std::chrono::microseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
    }
}

// Ten seconds, unless it is asked meanwhile.
constexpr std::int64_t calls_of_loop = 100'000;
void compute_until_asked(std::int64_t) {
    if (!is_asked) {
        ++calls_before_it_was;
        compute_for(std::chrono::microseconds(100));
    }
}
outcome<void> loop_until_asked() { return concert::each(0, calls_of_loop, compute_until_asked); }
concert::task<void> coroutine_until_asked() {
    for (std::int64_t i = 0; i < calls_of_loop; ++i) {
        co_await call(compute_until_asked, i);
    }
}

template <class Loop>
void answers_during(concert::session& world, const char* what, Loop loop) {
    lazult::testing::doing() = what;
    is_asked = false;
    calls_before_it_was = 0;
    world.quiesce();
    if (world.rank() == 1) {
        run(loop);
        CHECK(is_asked);
        CHECK(calls_before_it_was < calls_of_loop);
    } else if (world.rank() == 0) {
        run(on(1), ask);
    }
    world.quiesce();
}

// Rank 0 starts the loop on rank 1, so that it begins in a message's handler.
void answers_during_a_loop_of_a_message(concert::session& world) {
    lazult::testing::doing() = "a loop that a message began";
    is_asked = false;
    calls_before_it_was = 0;
    world.quiesce();
    if (world.rank() == 0) {
        run([] { return all(call(on(1), loop_until_asked), call(on(1), ask)).then([] {}); });
    }
    world.quiesce();
    CHECK(world.rank() != 1 || calls_before_it_was < calls_of_loop);
}

// What happened on rank 1, in its order.
std::vector<int> events;
concert::continuation<long> waiting;
constexpr int answered = 1;
constexpr int went_on = 2;
outcome<long> wait_for_word(caller<long> by) {
    waiting = by.take();
    return by.given();
}
outcome<void> wait_and_go_on() {
    return call(wait_for_word).then([](long) { events.push_back(went_on); });
}
void give_word() { waiting.resolve(1L); }
void answer() { events.push_back(answered); }

// Three messages of one packet. The second makes the first one's method ready, and the third is a
// call. The call is answered first: the method that is ready may compute for long.
void answers_before_it_goes_on(concert::session& world) {
    lazult::testing::doing() = "messages before contexts";
    events.clear();
    world.quiesce();
    if (world.rank() == 0) {
        run([] {
            return all(call(on(1, 0), wait_and_go_on), call(on(1, 0), give_word),
                       call(on(1, 0), answer))
                .then([] {});
        });
    }
    world.quiesce();
    CHECK(world.rank() != 1 || (events == std::vector<int>{answered, went_on}));
}

// The same, but the method that goes on computes until rank 0 has the answer.
bool has_come_in_time = true;
outcome<void> wait_and_receive() {
    return call(wait_for_word).then([](long) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        int is_there = 0;
        while (is_there == 0 && std::chrono::steady_clock::now() < until) {
            MPI_Iprobe(0, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
        }
        has_come_in_time = is_there != 0;
    });
}
outcome<void> ask_and_tell() {
    return call(on(1, 0), answer).then([] {
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    });
}
void sends_before_it_goes_on(concert::session& world) {
    lazult::testing::doing() = "answers leave before contexts run";
    world.quiesce();
    if (world.rank() == 0) {
        run([] {
            return all(call(on(1, 0), wait_and_receive), call(on(1, 0), give_word),
                       call(ask_and_tell))
                .then([] {});
        });
    }
    world.quiesce();
    if (world.rank() == 1) {
        CHECK(has_come_in_time);
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// An extract of no messages sends what was gathered. Rank 0 does nothing else that would.
void sends_by_an_extract_of_nothing(concert::session& world) {
    lazult::testing::doing() = "an extract of no messages";
    events.clear();
    world.quiesce();
    if (world.rank() == 0) {
        run([] { static_cast<void>(outcome<void>(call(on(1, 0), answer))); });
        CHECK(concert_extract(0) == 0);
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (world.rank() == 1) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (events.empty() && std::chrono::steady_clock::now() < until) {
            concert::extract();
        }
        CHECK(events.size() == 1);
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    world.quiesce();
}

}  // namespace

int main() {
    setenv("LAZULT_CONCERT_DELAY", "10000000000", 1);  // time alone sends no packet
    const lazult::runtime streams({.streams = 1});
    concert::session world;
    answers_during(world, "a loop", loop_until_asked);
    answers_during(world, "a coroutine's loop", coroutine_until_asked);
    answers_during_a_loop_of_a_message(world);
    sends_by_an_extract_of_nothing(world);
    const char* const calls = std::getenv("LAZULT_CONCERT_CALLS");
    if (calls == nullptr || std::strcmp(calls, "heap") != 0) {  // else each call is a context
        answers_before_it_goes_on(world);
        sends_before_it_goes_on(world);
    }
    world.quiesce();
    lazult::testing::passed("serves_in_loops");
}
