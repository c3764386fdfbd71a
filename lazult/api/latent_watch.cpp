// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/latent_watch.hpp"

#include <algorithm>

#include "lazult/api/latent_slots.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::api {
namespace {

constexpr std::int64_t first_question_ns = 20'000;  // a smaller tree is not worth a thread
constexpr std::int64_t first_nap_ns = 100'000;
constexpr std::int64_t longest_nap_ns = 1'000'000;
constexpr std::int64_t others_nap_ns = 5'000'000;
constexpr std::int64_t watch_ns = 20'000'000;
constexpr std::int64_t between_calls_ns = 200'000;  // several times the cost of a wake-up

// A thread (an owner) keeps calls in slots, which are armed while its scheduler lists them. An idle
// stream asks for calls, and the owner then gives calls to new units: see latent_slots.hpp.
//
// field         written by     read by        order
// watcher       idle streams   idle streams   relaxed: a hint; the worker that looks often at the
//                                             armed slots, instead of all idle streams
// last_look     the same       the same       relaxed: when the watcher last looked
// last_armed    idle streams,  idle streams   relaxed: when a stream last saw armed slots, or an
//               owners                        owner began the watch
// nap           idle streams,  idle streams   relaxed: how long the watcher sleeps next
//               owners
// last_call     units of       units of       relaxed: when a unit that runs a given call last woke
//               given calls    given calls    another stream
// others_sleep  owners,        ask_for_calls  relaxed: true while streams may sleep that fell
//               ask_for_calls                 asleep while the watch was off. One stream exchanges
//                                             true for false, and wakes them. A stream that falls
//                                             asleep later has seen that the watch is on.
constinit latent_watch<> watch;
constinit ds::default_atomics::atomic<const core::worker*> watcher{nullptr};
constinit ds::default_atomics::atomic<std::int64_t> last_look{0};
constinit ds::default_atomics::atomic<std::int64_t> last_armed{0};
constinit ds::default_atomics::atomic<std::int64_t> nap{first_nap_ns};
constinit ds::default_atomics::atomic<std::int64_t> last_call{0};
constinit ds::default_atomics::atomic<bool> others_sleep{false};

struct look {
    std::int64_t now;
    bool any_armed = false;
    bool has_asked = false;  // true if it has asked a thread that was not asked before
};

bool look_at(latent_slots& slots, void* argument) {
    auto& l = *static_cast<look*>(argument);
    if (!slots.is_armed()) {
        return false;
    }
    l.any_armed = true;
    if (slots.is_older_than(first_question_ns, l.now)) {
        l.has_asked = l.has_asked || !slots.is_asked();
        slots.ask();
    }
    return false;
}

bool any_is_armed() noexcept {
    return any_slots(
        which_slots::all, [](latent_slots& slots, void*) { return slots.is_armed(); }, nullptr);
}

// Returns true if this stream is the watcher, which looks often. The other streams only check that
// the watcher still looks, and take its place if it does not.
bool is_watcher(const core::worker& w, std::int64_t now) noexcept {
    if (watcher.load(std::memory_order_relaxed) != &w) {
        if (now - last_look.load(std::memory_order_relaxed) < 2 * longest_nap_ns) {
            return false;
        }
        watcher.store(&w, std::memory_order_relaxed);
    }
    last_look.store(now, std::memory_order_relaxed);
    return true;
}

// Returns how long the watcher sleeps. After it has asked a thread it does not sleep, because the
// answer comes soon. Else it sleeps longer each time.
std::int64_t next_nap(const look& l) noexcept {
    if (l.has_asked) {
        nap.store(first_nap_ns, std::memory_order_relaxed);
        return 0;
    }
    const std::int64_t now = nap.load(std::memory_order_relaxed);
    nap.store(std::min(2 * now, longest_nap_ns), std::memory_order_relaxed);
    return now;
}

// Wakes all idle streams. An owner that begins the watch wakes one stream only, because it pays for
// each wake-up. That stream comes here and wakes the others.
void wake_others() noexcept {
    if (others_sleep.load(std::memory_order_relaxed) &&
        others_sleep.exchange(false, std::memory_order_relaxed)) {
        sched::thieves().wake_all();
    }
}

std::int64_t ask_for_calls(core::worker& w, core::seeker does) noexcept {
    if (!watch.is_on()) LAZULT_LIKELY {
        return -1;
    }
    wake_others();
    if (does == core::seeker::woke) {
        return -1;
    }
    look l{os::now_ns()};
    any_slots(which_slots::some, look_at, &l);
    if (l.any_armed) {
        last_armed.store(l.now, std::memory_order_relaxed);
    } else if (l.now - last_armed.load(std::memory_order_relaxed) > watch_ns) {
        if (watch.end(any_is_armed)) {
            return -1;
        }
        // streams may have gone to sleep while the watch was off
        others_sleep.store(true, std::memory_order_relaxed);
        last_armed.store(l.now, std::memory_order_relaxed);
    }
    if (does == core::seeker::looks) {
        return 0;
    }
    return is_watcher(w, l.now) ? next_nap(l) : others_nap_ns;
}

LAZULT_COLD void wake_a_watcher() noexcept {
    last_armed.store(os::now_ns(), std::memory_order_relaxed);
    nap.store(first_nap_ns, std::memory_order_relaxed);
    core::set_asker(ask_for_calls);
    others_sleep.store(true, std::memory_order_relaxed);
    sched::thieves().wake_one();
}

}  // namespace

void call_another_seeker() noexcept {
    const std::int64_t now = os::now_ns();
    if (now - last_call.load(std::memory_order_relaxed) < between_calls_ns) {
        return;
    }
    last_call.store(now, std::memory_order_relaxed);
    sched::default_pool(core::this_worker_or_null()).idle_gate().notify();
}

void have_slots_watched() noexcept {
    if (watch.begin()) LAZULT_UNLIKELY {
        wake_a_watcher();
    }
}

}  // namespace lazult::api
