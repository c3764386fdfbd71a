// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/watch.hpp"

#include "adapt/caller.hpp"
#include "adapt/poller.hpp"
#include "adapt/settings.hpp"

#include "lazult/sched/sched.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace lazult::mpi {
namespace {

constexpr std::int64_t shortest_nap_ns = 10'000;
constexpr int naps_before_sleep = 20;
constexpr std::int64_t drain_warning_ns = 10'000'000'000;

struct watch {
    core::counter polls;  // polls by the door's own thread
    std::thread thread;
    std::uint64_t callback_id = 0;
};

watch& the_watch() noexcept { return base::the_only<watch>(); }

// The event callback: polls. A stream calls it in its scheduler's loop, or in a unit.
int poll_on_stream(void*) noexcept {
    core::worker* const w = core::this_worker_or_null();
    const bool idle = w != nullptr && w->here != nullptr && w->here->would_only_poll(*w);
    return the_poller().poll(idle ? eagerness::idle : eagerness::busy);
}

// The loop of the door's own thread. It naps, and polls if no stream has polled during the nap. A
// poll that ends a ULT's wait makes the next nap short. After each other poll the nap doubles, up
// to LAZULT_MPI_WATCH. After some naps in which no ULT waited, it sleeps until a ULT waits.
void run(core::counter& mine) noexcept {
    poller& all = the_poller();
    const auto longest_nap_ns = static_cast<std::int64_t>(value_of(setting::watch));
    std::int64_t nap_ns = longest_nap_ns;
    int idle_naps = 0;
    for (;;) {
        if (!all.has_waiting() && ++idle_naps > naps_before_sleep) {
            idle_naps = 0;
            nap_ns = longest_nap_ns;
            if (!all.sleeper().sleep_unless([&] { return all.has_waiting(); })) {
                return;
            }
        }
        const std::uint64_t polls = all.polls();
        if (!all.sleeper().nap(nap_ns)) {
            return;
        }
        if (!all.has_waiting() || all.polls() != polls) {
            nap_ns = longest_nap_ns;
            continue;
        }
        idle_naps = 0;
        mine.increment();
        nap_ns = all.poll(eagerness::at_once) != 0 ? shortest_nap_ns
                                                   : std::min(nap_ns * 2, longest_nap_ns);
    }
}

// Returns false if no OS thread can be started. Then only streams poll.
bool start_thread(watch& w) noexcept {
    the_poller().sleeper().begin();
    return os::try_start_service_thread(w.thread, "lazult mpi", [&w] { run(w.polls); });
}

}  // namespace

bool start_polling() noexcept {
    watch& w = the_watch();
    w.callback_id =
        sched::add_event_callback(poll_on_stream, nullptr, sched::awaited::when_expected);
    return start_thread(w) || w.callback_id != 0;
}

void stop_polling() noexcept {
    watch& w = the_watch();
    if (w.thread.joinable()) {
        the_poller().sleeper().end();
        os::join_thread(w.thread);
    }
    if (w.callback_id != 0) {
        sched::remove_event_callback(w.callback_id);
        w.callback_id = 0;
    }
}

void poll_until_none_waits() {
    std::int64_t warn_ns = os::now_ns() + drain_warning_ns;
    while (the_poller().has_waiting()) {
        if (the_poller().poll(eagerness::at_once) == 0) {
            os::yield_thread();
        }
        caller::give_way();
        if (os::now_ns() > warn_ns) {
            std::fprintf(
                stderr,
                "lazult: MPI door: MPI_Finalize waits for %u ULTs whose MPI calls have not ended\n",
                the_poller().waiting_count());
            warn_ns = INT64_MAX;
        }
    }
}

std::uint64_t polls_of_watch() noexcept { return the_watch().polls.get(); }

}  // namespace lazult::mpi
