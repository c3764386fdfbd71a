// SPDX-License-Identifier: BSD-3-Clause
// What pull senders keep is bounded, and what senders of scheme auto keep. A ULT that sends more
// than its receivers take waits, and other ULTs run meanwhile. Ranks that all send and do not
// extract come through. Handlers that send do not wait. After a burst the memory goes back.
#include "harness.hpp"

#include <lazult/lazult.hpp>

#include <mpi.h>

#include <fstream>
#include <thread>

using namespace lazult;
using namespace lazult::testing;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t item_bytes = 8192;

std::size_t resident() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "VmRSS:") {
            std::size_t kib = 0;
            status >> kib;
            return kib << 10;
        }
    }
    return 0;
}

bool grew_by_less(std::size_t before, std::size_t bytes) {
    const std::size_t now = resident();
    if (now < before + bytes) {
        return true;
    }
    std::fprintf(stderr, "rank %d, %s: %zu MiB resident, %zu before\n", concert_rank(),
                 doing().c_str(), now / mib, before / mib);
    return false;
}

int scheme = CONCERT_PULL;

concert_options small_options(std::size_t aggregate_bytes) {
    concert_options options = concert::default_options();
    options.scheme = scheme;
    options.aggregate_bytes = aggregate_bytes;
    options.max_message_bytes = item_bytes;
    options.pool_bytes = mib;
    options.backlog_bytes = mib;
    return options;
}

struct sink {
    std::size_t bytes = 0;
    concert::span_handler<std::byte> take{
        "take", [this](int, std::span<const std::byte> items) { bytes += items.size(); }};

    void send(concert::queue& queue, int rank, std::size_t all) const {
        const std::vector<std::byte> data(item_bytes);
        for (std::size_t sent = 0; sent < all; sent += item_bytes) {
            take.send(queue, rank, data);
        }
    }
};

// Rank 0 does not extract for a while. The others keep two MiB or so, and no 48.
void slow_receiver(concert::session& world, sink& into, std::size_t aggregate_bytes, bool by_ults) {
    doing() = by_ults ? "a slow receiver, ULTs" : "a slow receiver, OS threads";
    concert::queue queue(small_options(aggregate_bytes));
    into.bytes = 0;
    world.quiesce();
    const std::size_t before = resident();
    bool is_done = false;
    std::size_t beside = 0;
    if (world.rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    } else if (by_ults) {
        thread other([&] {
            for (; !is_done; ++beside) {
                this_thread::yield();
            }
        });
        thread([&] {
            into.send(queue, 0, 48 * mib);
            is_done = true;
        }).join();
        other.join();
        CHECK(beside > 100);
    } else {
        std::thread([&] { into.send(queue, 0, 48 * mib); }).join();
    }
    CHECK(grew_by_less(before, 12 * mib));
    world.quiesce();
    CHECK(into.bytes ==
          (world.rank() == 0 ? static_cast<std::size_t>(world.size() - 1) * 48 * mib : 0));
}

// Nobody extracts before all have sent: without taking anything in they would wait for each other.
void all_at_once(concert::session& world, sink& into) {
    doing() = "all at once";
    concert::queue queue(small_options(4096));
    into.bytes = 0;
    into.send(queue, (world.rank() + 1) % world.size(), 24 * mib);
    world.quiesce();
    CHECK(into.bytes == 24 * mib);
}

// Each message is answered by four that are as long, out of its handler.
void handlers_that_send(concert::session& world, sink& into) {
    doing() = "handlers that send";
    concert::queue queue(small_options(4096));
    into.bytes = 0;
    const concert::span_handler<std::byte> answer(
        "answer", [&](int source, std::span<const std::byte> items) {
            for (int i = 0; i < 4; ++i) {
                into.take.send(queue, source, items);
            }
        });
    const std::vector<std::byte> data(item_bytes);
    for (std::size_t sent = 0; sent < 4 * mib; sent += item_bytes) {
        answer.send(queue, (world.rank() + 1) % world.size(), data);
    }
    world.quiesce();
    CHECK(into.bytes == 16 * mib);
}

// A rank waits in a collective call for one that waits for space.
void beside_a_collective_call(concert::session& world, sink& into) {
    doing() = "beside a collective call";
    concert::queue queue(small_options(4096));
    into.bytes = 0;
    if (world.rank() == 1) {
        into.send(queue, 0, 8 * mib);
    }
    const concert::handler<> late("late", [](int) {});
    world.quiesce();
    CHECK(into.bytes == (world.rank() == 0 ? 8 * mib : 0));
}

// Without a bound and with a large window: all of it is kept, and goes back when it has been
// delivered.
void a_burst(concert::session& world, sink& into) {
    doing() = "a burst";
    concert_options options = small_options(4096);
    options.pool_bytes = 16 * mib;
    options.backlog_bytes = 0;
    concert::queue queue(options);
    into.bytes = 0;
    world.quiesce();
    const std::size_t before = resident();
    if (world.rank() != 0) {
        into.send(queue, 0, 64 * mib);
        CHECK(!grew_by_less(before, 60 * mib));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    world.quiesce();
    MPI_Barrier(MPI_COMM_WORLD);  // each rank gives its own memory back, which others see too
    CHECK(grew_by_less(before, 6 * mib));
    into.send(queue, 0, mib);
    world.quiesce();
    CHECK(world.rank() != 0 || into.bytes == static_cast<std::size_t>(world.size() - 1) * 64 * mib +
                                                 static_cast<std::size_t>(world.size()) * mib);
}

}  // namespace

int main() {
    const runtime streams({.streams = 1});
    concert::session world;
    sink into;
    for (const int each : {CONCERT_PULL, CONCERT_AUTO}) {
        scheme = each;
        for (const bool by_ults : {true, false}) {
            slow_receiver(world, into, 4096, by_ults);
            slow_receiver(world, into, 0, by_ults);
        }
        all_at_once(world, into);
        handlers_that_send(world, into);
        beside_a_collective_call(world, into);
        a_burst(world, into);
    }
    passed("bounded_senders");
    return 0;
}
