// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init and MPI_Finalize, and with them the door's own beginning and end.
#include <cstdio>
#include <mutex>

#include "calls/helpers.hpp"
#include "calls/own.hpp"
#include "library/library.hpp"
#include "waiting/poller.hpp"
#include "waiting/waits.hpp"
#include "waiting/watch.hpp"

namespace lazult::mpi {

constinit atomic<door_state> state{door_state::unknown};
constinit counts tally[counting_threads]{};

namespace {

constexpr std::int64_t drain_warning_ns = 10'000'000'000;

// Under the lock below.
std::uint64_t callback_id = 0;

std::mutex& life_lock() noexcept {
    static base::never_destroyed<std::mutex> instance;
    return *instance;
}

bool has_begun() noexcept {
    int begun = 0;
    int ended = 0;
    return PMPI_Initialized(&begun) == MPI_SUCCESS && begun != 0 &&
           PMPI_Finalized(&ended) == MPI_SUCCESS && ended == 0;
}

// On a stream's loop, or within a unit there.
int poll_on_stream(void*) noexcept {
    core::worker* const w = core::this_worker_or_null();
    const bool idle = w != nullptr && w->here != nullptr && w->here->would_only_poll(*w);
    return the_poller().poll(idle ? eagerness::idle : eagerness::busy);
}

door_state begin() noexcept {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) {
        std::fprintf(stderr,
                     "lazult: MPI door: MPI gives no MPI_THREAD_MULTIPLE, so calls block their "
                     "streams; use an MPI library that does\n");
        return door_state::off;
    }
    deep([] { return prepare_library(), MPI_SUCCESS; });
    open_records();
    callback_id = sched::add_event_callback(poll_on_stream, nullptr, sched::awaited::when_expected);
    if (!the_watch().start() && callback_id == 0) {
        std::fprintf(stderr, "lazult: MPI door: no memory to poll, so calls block their streams\n");
        return door_state::off;
    }
    return door_state::on;
}

}  // namespace

LAZULT_COLD door_state decide() noexcept {
    if (!has_begun()) {
        return door_state::unknown;
    }
    const std::lock_guard hold(life_lock());
    door_state now = state.load(std::memory_order_relaxed);  // the lock's
    if (now == door_state::unknown) {
        now = begin();
        state.store(now, std::memory_order_release);  // pairs with: is_on()
    }
    return now;
}

namespace {

void wait_a_little() {
    if (the_poller().poll(eagerness::at_once) == 0) {
        os::yield_thread();
    }
    sync::yield_uncanceled(core::current_unit());
}

// A program may finalize only when its calls have ended; what is left are their last steps, or a
// mistake.
void drain() {
    std::int64_t warn_ns = os::now_ns() + drain_warning_ns;
    while (the_poller().has_waiting()) {
        wait_a_little();
        if (os::now_ns() > warn_ns) {
            std::fprintf(
                stderr,
                "lazult: MPI door: MPI_Finalize waits for %u ULTs whose MPI calls have not ended\n",
                the_poller().waiting_count());
            warn_ns = INT64_MAX;
        }
    }
}

}  // namespace

void turn_off() noexcept {
    drain();
    helpers().stop();
    close_records();
    const std::lock_guard hold(life_lock());
    state.store(door_state::off, std::memory_order_release);  // pairs with: is_on()
    the_watch().stop();
    if (callback_id != 0) {
        sched::remove_event_callback(callback_id);
        callback_id = 0;
    }
}

LAZULT_COLD void report() noexcept {
    const auto read = [](core::counter counts::* number) {
        unsigned long long sum = 0;
        for (const counts& each : tally) {
            sum += (each.*number).get();
        }
        return sum;
    };
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const unsigned long long calls = read(&counts::calls);
    const unsigned long long suspended = read(&counts::suspended);
    const double rate =
        calls == 0 ? 0 : static_cast<double>(suspended) / static_cast<double>(calls);
    std::fprintf(stderr,
                 "lazult: MPI door: rank %d: %llu calls by ULTs, %llu suspensions (rate %.3f), "
                 "%llu by helpers, %llu polls (%llu by the watch), %llu looks, %llu completions\n",
                 rank, calls, suspended, rate, read(&counts::helped),
                 static_cast<unsigned long long>(the_poller().polls()),
                 static_cast<unsigned long long>(the_watch().polls()),
                 static_cast<unsigned long long>(the_poller().looks()),
                 static_cast<unsigned long long>(the_poller().completions()));
}

namespace own {

// Asks MPI for MPI_THREAD_MULTIPLE, whatever level the program asked for. `provided` is the level
// that MPI gave, so it may be higher than the program's.
int Init_thread(int* argc, char*** argv, int, int* provided) {
    const int code =
        deep([&] { return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, provided); });
    is_on();
    return code;
}

int Init(int* argc, char*** argv) {
    int provided = MPI_THREAD_SINGLE;
    return Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

int Finalize() {
    if (is_on()) {
        turn_off();
        if (base::current_settings().stats) {
            report();
        }
    }
    return deep([] { return PMPI_Finalize(); });
}

}  // namespace own
}  // namespace lazult::mpi
