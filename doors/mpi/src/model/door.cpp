// SPDX-License-Identifier: BSD-3-Clause
#include "model/door.hpp"

#include "adapt/counts.hpp"
#include "adapt/deep.hpp"
#include "adapt/helpers.hpp"
#include "adapt/poller.hpp"
#include "adapt/watch.hpp"
#include "library/library.hpp"
#include "model/forms.hpp"

#include <cstdio>
#include <mutex>

namespace lazult::mpi {

constinit ds::default_atomics::atomic<door_state> state{door_state::unknown};

namespace {

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
    if (!start_polling()) {
        std::fprintf(stderr, "lazult: MPI door: no memory to poll, so calls block their streams\n");
        return door_state::off;
    }
    return door_state::on;
}

}  // namespace

// Several threads may get here at once; the lock has one of them open the door.
LAZULT_COLD door_state decide() noexcept {
    if (!has_begun()) {
        return door_state::unknown;
    }
    const std::lock_guard hold(life_lock());
    door_state now = state.load(std::memory_order_relaxed);  // relaxed: life_lock() orders it
    if (now == door_state::unknown) {
        now = begin();
        state.store(now, std::memory_order_release);  // pairs with: is_on()
    }
    return now;
}

void turn_off() noexcept {
    poll_until_none_waits();
    helpers().stop();
    close_records();
    const std::lock_guard hold(life_lock());
    state.store(door_state::off, std::memory_order_release);  // pairs with: is_on()
    stop_polling();
}

LAZULT_COLD void report() noexcept {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const unsigned long long calls = sum_of(&counts::calls);
    const unsigned long long suspended = sum_of(&counts::suspended);
    const double rate =
        calls == 0 ? 0 : static_cast<double>(suspended) / static_cast<double>(calls);
    std::fprintf(stderr,
                 "lazult: MPI door: rank %d: %llu calls by ULTs, %llu suspensions (rate %.3f), "
                 "%llu by helpers, %llu polls (%llu by the watch), %llu looks, %llu completions\n",
                 rank, calls, suspended, rate,
                 static_cast<unsigned long long>(sum_of(&counts::helped)),
                 static_cast<unsigned long long>(the_poller().polls()),
                 static_cast<unsigned long long>(polls_of_watch()),
                 static_cast<unsigned long long>(the_poller().looks()),
                 static_cast<unsigned long long>(the_poller().completions()));
}

}  // namespace lazult::mpi
