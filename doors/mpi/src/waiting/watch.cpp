// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/watch.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include "waiting/poller.hpp"

namespace lazult::mpi {
namespace {

constexpr std::int64_t shortest_nap_ns = 10'000;
constexpr int naps_before_sleep = 20;

}  // namespace

watch& the_watch() noexcept {
    static base::never_destroyed<watch> instance;
    return *instance;
}

bool watch::start() noexcept {
    try {
        word_.store(awake, std::memory_order_seq_cst);  // pairs with: wake()
        thread_ = os::start_service_thread("lazult mpi", [this] { run(); });
        return true;
    } catch (const std::system_error&) {
        return false;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void watch::stop() noexcept {
    if (thread_.joinable()) {
        word_.store(ended, std::memory_order_seq_cst);  // pairs with: run(), nap()
        default_atomics::futex_wake(word_, 1);
        thread_.join();
    }
}

void watch::wake_slowly() noexcept {
    std::uint32_t seen = asleep;
    // pairs with: is_wanted()
    if (word_.compare_exchange_strong(seen, awake, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
        default_atomics::futex_wake(word_, 1);
    }
}

// False when the thread shall end.
bool watch::nap(std::int64_t ns) noexcept {
    default_atomics::futex_wait(word_, awake, os::now_ns() + ns);
    return word_.load(std::memory_order_seq_cst) != ended;  // pairs with: stop()
}

// Sleeps while nothing is waited for. False when the thread shall end.
bool watch::is_wanted() noexcept {
    std::uint32_t seen = awake;
    // pairs with: wake(), load, and stop()
    if (!word_.compare_exchange_strong(seen, asleep, std::memory_order_seq_cst,
                                       std::memory_order_relaxed)) {
        return seen != ended;
    }
    if (the_poller().has_waiting()) {
        wake_slowly();
    }
    for (;;) {
        seen = word_.load(std::memory_order_seq_cst);  // pairs with: wake_slowly(), stop()
        if (seen != asleep) {
            return seen != ended;
        }
        default_atomics::futex_wait(word_, asleep, -1);
    }
}

// Its naps are long while others poll, and short while it finds something that nobody else did.
void watch::run() noexcept {
    const std::int64_t longest_nap_ns = base::current_settings().mpi_watch;
    std::int64_t nap_ns = longest_nap_ns;
    int idle_naps = 0;
    for (;;) {
        if (!the_poller().has_waiting() && ++idle_naps > naps_before_sleep) {
            idle_naps = 0;
            nap_ns = longest_nap_ns;
            if (!is_wanted()) {
                return;
            }
        }
        const std::uint64_t polls = the_poller().polls();
        if (!nap(nap_ns)) {
            return;
        }
        if (!the_poller().has_waiting() || the_poller().polls() != polls) {
            nap_ns = longest_nap_ns;
            continue;
        }
        idle_naps = 0;
        polls_.increment();
        nap_ns = the_poller().poll(eagerness::at_once) != 0 ? shortest_nap_ns
                                                            : std::min(nap_ns * 2, longest_nap_ns);
    }
}

}  // namespace lazult::mpi
