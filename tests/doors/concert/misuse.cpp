// SPDX-License-Identifier: BSD-3-Clause
// Bad input: an error that says what is wrong, and everything works as before.
#include "harness.hpp"

#include <lazult/error.hpp>
#include <lazult/lazult.hpp>

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

using namespace lazult;
using namespace lazult::testing;

namespace {

void expect(int result, int code, const char* words) {
    CHECK(result == code);
    if (std::strstr(concert_last_error(), words) == nullptr) {
        std::fprintf(stderr, "rank %d: \"%s\" does not say \"%s\"\n", concert_rank(),
                     concert_last_error(), words);
        std::abort();
    }
}

void nothing(int, const void*, std::size_t, void*) {}
void nothing4(int, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, void*) {}

void before_init() {
    int id = 0;
    expect(concert_send4(0, 0, 1, 2, 3, 4), CONCERT_ERR_STATE, "concert_init()");
    expect(concert_register("name", nothing, nullptr, &id), CONCERT_ERR_STATE, "concert_init()");
    expect(concert_quiesce(), CONCERT_ERR_STATE, "concert_init()");
    expect(concert_finalize(), CONCERT_ERR_STATE, "concert_init()");
    expect(concert_hold(), CONCERT_ERR_STATE, "concert_init()");
    CHECK(concert_extract(1) == 0);
    CHECK(concert_rank() == -1);
    setenv("LAZULT_CONCERT_POOL", "12 parsecs", 1);
    expect(concert_init(), CONCERT_ERR_ARGUMENT, "LAZULT_CONCERT_POOL");
    unsetenv("LAZULT_CONCERT_POOL");
}

void sends(int bytes_handler, int words_handler) {
    char buffer[16] = {};
    const int size = concert_size();
    expect(concert_send(size, bytes_handler, buffer, 1), CONCERT_ERR_RANK, "there is no rank");
    expect(concert_send(-1, bytes_handler, buffer, 1), CONCERT_ERR_RANK, "there is no rank -1");
    expect(concert_send(0, 999, buffer, 1), CONCERT_ERR_HANDLER, "no handler 999");
    expect(concert_send(0, -1, buffer, 1), CONCERT_ERR_HANDLER, "no handler -1");
    expect(concert_send(0, words_handler, buffer, 1), CONCERT_ERR_HANDLER,
           "\"words\" is of the other kind");
    expect(concert_send4(0, bytes_handler, 1, 2, 3, 4), CONCERT_ERR_HANDLER,
           "\"bytes\" is of the other kind");
    expect(concert_send(0, bytes_handler, buffer, std::size_t{1} << 40), CONCERT_ERR_SIZE,
           "max_message_bytes");
    expect(concert_send(0, bytes_handler, nullptr, 1), CONCERT_ERR_ARGUMENT, "null");
    expect(concert_queue_send(nullptr, 0, bytes_handler, buffer, 1), CONCERT_ERR_ARGUMENT,
           "queue is a null");
}

void bad_options() {
    concert_queue* queue = nullptr;
    concert_options bad = concert::default_options();
    bad.slots = 1;
    expect(concert_queue_create(&bad, &queue), CONCERT_ERR_ARGUMENT, "slots");
    bad = concert::default_options();
    bad.scheme = 7;
    expect(concert_queue_create(&bad, &queue), CONCERT_ERR_ARGUMENT, "scheme");
    bad = concert::default_options();
    bad.scheme = CONCERT_PUSH;
    bad.slots = 4;
    expect(concert_queue_create(&bad, &queue), CONCERT_ERR_ARGUMENT, "half of the ring");
    bad = concert::default_options();
    bad.pool_bytes = 64 << 10;
    expect(concert_queue_create(&bad, &queue), CONCERT_ERR_ARGUMENT, "pool_bytes");
    expect(concert_queue_create(nullptr, &queue), CONCERT_ERR_ARGUMENT, "null");
    CHECK(queue == nullptr);
    expect(concert_queue_free(nullptr), CONCERT_ERR_ARGUMENT, "null");
}

// The 65th queue besides the default one is refused, and nothing refers to it.
void too_many_queues() {
    concert_options small = concert::default_options();
    small.max_message_bytes = 1024;
    small.pool_bytes = 64 << 10;
    std::vector<concert_queue*> all(65, nullptr);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        CHECK(concert_queue_create(&small, &all[i]) == CONCERT_OK);
    }
    expect(concert_queue_create(&small, &all.back()), CONCERT_ERR_ARGUMENT, "64 queues already");
    CHECK(all.back() == nullptr);
    all.pop_back();
    for (concert_queue* each : all) {
        CHECK(concert_queue_free(each) == CONCERT_OK);
    }
}

// A release of what is not held changes nothing: quiescence still comes, and waits for what is
// held.
void unbalanced_releases(concert::session& world) {
    expect(concert_release(), CONCERT_ERR_STATE, "holds nothing");
    CHECK(concert_quiesce() == CONCERT_OK);
    bool refused = false;
    try {
        concert::release();
    } catch (const error& thrown) {
        refused = std::string(thrown.what()).find("concert_hold() before") != std::string::npos;
    }
    CHECK(refused);
    constexpr int held = 100;
    constexpr int threads = 4;
    for (int i = 0; i < held; ++i) {
        concert::hold();
    }
    std::atomic<int> done{0};
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
            for (int k = 0; k < held; ++k) {
                done.fetch_add(concert_release() == CONCERT_OK ? 1 : 0);
            }
        });
    }
    for (std::thread& each : all) {
        each.join();
    }
    CHECK(done.load() == held);
    world.quiesce();
}

// All ranks call, and do not say the same.
void mismatches() {
    int id = -1;
    const bool odd = concert_rank() % 2 == 1;
    expect(concert_register(odd ? "odd" : "even", nothing, nullptr, &id), CONCERT_ERR_MISMATCH,
           odd ? "this rank gives \"odd\", rank 0 \"even\"" : "another rank");
    CHECK(id == -1);
    concert_queue* queue = nullptr;
    concert_options differing = concert::default_options();
    differing.slots = odd ? 64 : 128;
    expect(concert_queue_create(&differing, &queue), CONCERT_ERR_MISMATCH, "slots");
    differing.slots = odd ? 0 : 128;
    expect(concert_queue_create(&differing, &queue),
           odd ? CONCERT_ERR_ARGUMENT : CONCERT_ERR_MISMATCH, odd ? "slots" : "another rank");
    CHECK(queue == nullptr);
}

void in_a_handler(concert::session& world) {
    int calls = 0;
    const concert::handler<> call("call", [&](int) {
        expect(concert_quiesce(), CONCERT_ERR_CONTEXT, "in a handler");
        expect(concert_finalize(), CONCERT_ERR_CONTEXT, "in a handler");
        int id = 0;
        expect(concert_register("late", nothing, nullptr, &id), CONCERT_ERR_CONTEXT,
               "in a handler");
        CHECK(concert_extract(1) == 0);
        ++calls;
    });
    call.send((world.rank() + 1) % world.size());
    world.quiesce();
    CHECK(calls == 1);
}

// A handler that would suspend its ULT gets an error. On a plain OS thread it may block.
void handlers_that_wait(concert::session& world) {
    eventual<int> never;
    const concert::handler<> wait("wait", [&](int) { never.wait(); });
    wait.send(world.rank());
    bool refused = false;
    thread([&] {
        try {
            world.quiesce();
        } catch (const error& thrown) {
            refused = thrown.code() == errc::cannot_suspend;
        }
    }).join();
    CHECK(refused);
    // And this ULT may again.
    thread([] { this_thread::sleep_for(std::chrono::milliseconds(1)); }).join();
    world.quiesce();
}

void names_handler_and_sender(const std::string& handler, int sender, const char* what) {
    const std::string words = "handler \"" + handler +
                              "\": an exception left it, of a message from rank " +
                              std::to_string(sender) + ": " + what;
    expect(CONCERT_OK, CONCERT_OK, words.c_str());
}

// What leaves a handler leaves extract() or quiesce(), and the next messages run.
void exceptions(concert::session& world) {
    int calls = 0;
    const concert::handler<int> thrower("thrower", [&](int, int value) {
        ++calls;
        if (value == 1) {
            throw std::runtime_error("from a handler");
        }
    });
    const int from = (world.rank() + world.size() - 1) % world.size();
    for (int value = 0; value < 3; ++value) {
        thrower.send((world.rank() + 1) % world.size(), value);
    }
    bool caught = false;
    try {
        world.quiesce();
    } catch (const std::runtime_error& thrown) {
        caught = std::string(thrown.what()) == "from a handler";
        names_handler_and_sender("thrower", from, "std::runtime_error (\"from a handler\")");
    }
    CHECK(caught);
    CHECK(calls == 3);
    caught = false;
    try {
        thrower.send(99999, 1);
    } catch (const error& thrown) {
        caught = thrown.code() == errc::invalid_argument &&
                 std::string(thrown.what()).find("there is no rank 99999") != std::string::npos;
    }
    CHECK(caught);
    world.quiesce();
}

// An exception that leaves a handler on a stream has no caller to go to, so the next thread that
// looks for messages gets it.
void exceptions_on_streams(concert::session& world) {
    concert_options options = concert::default_options();
    options.extract_when_idle = 1;
    std::atomic<int> calls{0};
    const concert::handler<int> thrower("thrower on a stream", [&](int, int value) {
        calls.fetch_add(1);
        if (value == 1) {
            throw std::runtime_error("from a stream");
        }
    });
    concert::queue queue(options);
    for (int value = 0; value < 3; ++value) {
        thrower.send(queue, world.rank(), value);
    }
    concert::flush();
    while (calls.load() != 3) {
        this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    bool caught = false;
    try {
        world.quiesce();
    } catch (const std::runtime_error& thrown) {
        caught = std::string(thrown.what()) == "from a stream";
        names_handler_and_sender("thrower on a stream", world.rank(),
                                 "std::runtime_error (\"from a stream\")");
    }
    CHECK(caught);
    world.quiesce();
}

// One rank's handler throws while all free the queue: it is freed, and only then the exception
// leaves.
void exception_while_freeing(concert::session& world) {
    const concert_options options = concert::default_options();
    concert_queue* queue = nullptr;
    CHECK(concert_queue_create(&options, &queue) == CONCERT_OK);
    const concert::handler<> thrower("thrower at the end",
                                     [](int) { throw std::runtime_error("at the end"); });
    if (world.rank() == 1) {
        CHECK(concert_queue_send(queue, 0, thrower.id(), nullptr, 0) == CONCERT_OK);
    }
    bool caught = false;
    try {
        CHECK(concert_queue_free(queue) == CONCERT_OK);
    } catch (const std::runtime_error&) {
        caught = true;
    }
    CHECK(caught == (world.rank() == 0));
    world.quiesce();
}

// A ULT of the same stream waits within a collective call.
void two_collective_callers(concert::session& world) {
    bool has_begun = false;
    bool refused = false;
    thread first([&] {
        if (world.rank() != 0) {
            MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        has_begun = true;
        world.quiesce();
    });
    thread second([&] {
        if (world.rank() != 0) {
            return;
        }
        while (!has_begun) {
            this_thread::yield();
        }
        int id = -1;
        const concert_options options = concert::default_options();
        concert_queue* queue = nullptr;
        expect(concert_register("second", nothing, nullptr, &id), CONCERT_ERR_CONTEXT,
               "another thread");
        expect(concert_queue_create(&options, &queue), CONCERT_ERR_CONTEXT, "another thread");
        expect(concert_quiesce(), CONCERT_ERR_CONTEXT, "another thread");
        refused = true;
        for (int rank = 1; rank < world.size(); ++rank) {
            MPI_Send(nullptr, 0, MPI_INT, rank, 0, MPI_COMM_WORLD);
        }
    });
    second.join();
    first.join();
    CHECK(refused == (world.rank() == 0));
}

// A ULT that is cancelled within a collective call ends behind it, as the other ranks wait for it
// there.
void canceled_within(concert::session& world) {
    const bool is_first = world.rank() == 0;
    bool has_begun = false;
    bool came_back = false;
    bool went_on = false;
    thread waiting([&] {
        if (!is_first) {
            MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        has_begun = true;
        world.quiesce();
        came_back = true;
        this_thread::yield();
        went_on = true;
    });
    thread canceler([&] {
        while (is_first && !has_begun) {
            this_thread::yield();
        }
        for (int rank = 1; is_first && rank < world.size(); ++rank) {
            if (rank == 1) {
                cancel(waiting);
            }
            MPI_Send(nullptr, 0, MPI_INT, rank, 0, MPI_COMM_WORLD);
        }
    });
    canceler.join();
    waiting.wait();
    CHECK(came_back);
    CHECK(went_on == !is_first);
    CHECK(waiting.canceled() == is_first);
    world.quiesce();
}

}  // namespace

int main() {
    before_init();
    {
        const runtime streams({.streams = 1});
        concert::session world;
        expect(concert_init(), CONCERT_ERR_STATE, "already");
        int bytes_handler = -1;
        int words_handler = -1;
        CHECK(concert_register("bytes", nothing, nullptr, &bytes_handler) == CONCERT_OK);
        CHECK(concert_register4("words", nothing4, nullptr, &words_handler) == CONCERT_OK);
        expect(concert_register(nullptr, nothing, nullptr, &bytes_handler), CONCERT_ERR_ARGUMENT,
               "null");
        sends(bytes_handler, words_handler);
        bad_options();
        if (world.size() == 2) {  // 64 windows take long on more ranks than processors
            too_many_queues();
        }
        unbalanced_releases(world);
        mismatches();
        in_a_handler(world);
        exceptions(world);
        const concert_counters counted = [] {
            concert_counters result;
            CHECK(concert_count(nullptr, &result) == CONCERT_OK);
            return result;
        }();
        CHECK(counted.sent == 4);
        exceptions_on_streams(world);
        exception_while_freeing(world);
        two_collective_callers(world);
        canceled_within(world);
        handlers_that_wait(world);
        passed("misuse");
    }
    CHECK(concert_rank() == -1);
    expect(concert_send4(0, 0, 1, 2, 3, 4), CONCERT_ERR_STATE, "concert_init()");
    return 0;
}
