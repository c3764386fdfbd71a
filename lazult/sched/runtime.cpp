// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/runtime.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <type_traits>
#include <vector>

#include "lazult/sched/process.hpp"
#include "lazult/sched/spares.hpp"
#include "lazult/sched/steal_group.hpp"
#include "lazult/sched/stream.hpp"
#include "lazult/sched/stream_list.hpp"
#include "lazult/topo/topo.hpp"

namespace lazult::sched {
namespace {

// field         written by               read by        order
// left_behind   forget_parents_runtime   stop_runtime   none needed: a forked child has one thread
// users         under lifecycle          the same       the lock's
// running       start, stop              anybody        release / acquire
// turn          outside threads          the same       relaxed
constinit struct {
    std::mutex lifecycle;  // held during start and stop
    int users = 0;
    // true in a child that was forked while a runtime ran: the streams' threads are the parent's
    bool left_behind = false;
    ds::default_atomics::atomic<bool> running{false};
    ds::default_atomics::atomic<unsigned> turn{0};
} runtime_state;
static_assert(std::is_trivially_destructible_v<decltype(runtime_state)>);

// Called in a forked child. A holder of `lifecycle` may wait for other threads, so a fork does not
// take that lock. The child makes it anew.
void forget_parents_runtime() noexcept {
    new (&runtime_state.lifecycle) std::mutex;
    runtime_state.left_behind = runtime_state.users != 0;
}

[[gnu::constructor]] void forget_runtime_in_children() {
    ::pthread_atfork(nullptr, nullptr, forget_parents_runtime);
}

bool on_main_thread() noexcept { return static_cast<std::uint64_t>(::getpid()) == os::thread_id(); }

int wanted_streams() {
    const auto asked = static_cast<int>(base::current_settings().streams);
    return asked != 0 ? asked : topo::machine().processors();
}

base::status start_streams() {
    stream* fresh = nullptr;
    int left = wanted_streams();
    if (on_main_thread() && core::this_worker().here == nullptr) {
        if (const base::status bad = stream::adopt(&fresh); bad != base::status::ok) {
            return bad;
        }
        --left;
    }
    for (; left > 0; --left) {
        if (const base::status bad = stream::start_default(&fresh); bad != base::status::ok) {
            return bad;
        }
    }
    // release pairs with: runtime_is_running(), load of running
    runtime_state.running.store(true, std::memory_order_release);
    return base::status::ok;
}

// start_streams() throws std::bad_alloc if there is no memory for some part of a stream.
base::status try_start_streams() noexcept {
    try {
        return start_streams();
    } catch (const std::bad_alloc&) {
        return base::status::out_of_memory;
    }
}

// Calls end() with each stream, in the order of ranks, because streams leave the list meanwhile.
// The list is not copied, because memory may be exhausted.
template <class End>
void end_each(End end) {
    int rank = -1;
    while (stream_record* s = streams().first_above(rank)) {
        rank = s->rank();
        end(static_cast<stream&>(*s));
    }
}

// Units of the runtime's own pools are ready on the caller's stream.
bool has_units_here(const worker& w) noexcept {
    stream* const mine = this_stream();
    if (mine == nullptr) {
        return false;
    }
    const ready_pool* const pool = mine->default_pool_or_null();
    return (pool != nullptr && pool->maybe_has_work(w)) ||
           (mine->pinned() != nullptr && mine->pinned()->maybe_has_work(w));
}

void drain_here() {
    while (core::can_suspend() && has_units_here(core::this_worker())) {
        core::yield();
    }
}

// Completes, as cancelled, a unit that never started. A suspended unit stays as it is, because it
// cannot be unwound from here.
void drop(worker& w, work_unit* u) {
    if (u->context == nullptr) {
        core::cancel(*u);
        core::may_start(*u);
        core::complete(w, u);
    }
}

void stop_streams(bool drain) {
    if (drain) {
        drain_here();
    }
    hand_over_spares();
    end_each([drain](stream& s) {
        if (!s.is_primary() && !s.is_independent()) {
            drain ? stream::join(&s) : stream::stop(&s);
        }
    });
    end_each([](stream& s) {
        if (!s.is_independent()) {
            stream::release(&s);
        }
    });
    thieves().empty_all(core::this_worker(), drop);
    // release pairs with: runtime_is_running(), load of running
    runtime_state.running.store(false, std::memory_order_release);
    leave_process();
}

// Asks all other streams of the runtime to stop, and waits for them for at most 50 ms. Returns
// false if some have not ended.
bool ask_others_to_end(const stream& mine) {
    constexpr std::int64_t moment_ns = 50'000'000;
    const std::int64_t deadline = os::now_ns() + moment_ns;
    const auto is_left = [&](const stream_record& s) {
        return &s != &mine && !s.is_primary() && !s.is_independent() &&
               static_cast<const stream&>(s).state() != stream_state::ended;
    };
    streams().for_each([&](stream_record& s) {
        if (is_left(s)) {
            s.main_scheduler().request_stop(scheduler::stop_now);
        }
    });
    while (streams().first(is_left) != nullptr) {
        if (os::now_ns() > deadline) {
            return false;
        }
        os::yield_thread();
    }
    return true;
}

// True if another user of the runtime may go on to use it, or if a thread starts or stops it now.
bool is_runtime_shared() {
    const std::unique_lock hold(runtime_state.lifecycle, std::try_to_lock);
    return !hold.owns_lock() || runtime_state.users > 1;
}

// Stops the runtime at exit(), if the primary ULT calls exit() and all other streams end soon.
// Otherwise, and in a forked child, which has no streams, the system takes back everything: a
// program that exits does not wait for threads.
void stop_at_exit() {
    const stream* mine = this_stream();
    if (mine != nullptr && runtime_is_running() && is_process_that_entered() &&
        !is_runtime_shared() && mine->is_own_primary(core::current_unit()) && core::can_suspend() &&
        ask_others_to_end(*mine)) {
        stop_runtime(false);
    }
}

}  // namespace

base::status start_runtime() {
    const std::lock_guard hold(runtime_state.lifecycle);
    if (runtime_state.users == 0) {
        enter_process();
        if (const base::status bad = try_start_streams(); bad != base::status::ok) {
            stop_streams(false);
            return bad;
        }
    }
    ++runtime_state.users;
    return base::status::ok;
}

base::status stop_runtime(bool drain) {
    if (runtime_state.left_behind) {
        return base::status::ok;
    }
    const std::lock_guard hold(runtime_state.lifecycle);
    if (runtime_state.users == 0) {
        return base::status::shutting_down;
    }
    if (--runtime_state.users == 0) {
        stop_streams(drain);
    }
    return base::status::ok;
}

bool runtime_is_running() noexcept {
    // pairs with: start_streams(), stop_streams(), stores of running
    return runtime_state.running.load(std::memory_order_acquire);
}

void ensure_runtime() {
    if (runtime_is_running()) LAZULT_LIKELY {
        return;
    }
    static std::once_flag once;
    std::call_once(once, [] {
        if (start_runtime() != base::status::ok) {
            const os::memory_shortage why = os::find_thread_shortage();
            char cause[256];
            std::snprintf(cause, sizeof cause, "its execution streams cannot be started: %s",
                          why.text);
            base::fatal_misuse("runtime", cause, "raise that limit, or lower LAZULT_STREAMS");
        }
        std::atexit(stop_at_exit);
    });
    if (!runtime_is_running()) {
        base::fatal_misuse(
            "runtime", "it is used after it was stopped",
            "keep a lazult::runtime object alive as long as the program uses Lazult");
    }
}

ready_pool& default_pool(const worker* w) {
    stream_record* here = stream_record_of(w);
    if (ready_pool* mine = here == nullptr ? nullptr : here->runtime_pool_or_null();
        mine != nullptr) LAZULT_LIKELY {
        return *mine;
    }
    const unsigned turn = runtime_state.turn.fetch_add(1, std::memory_order_relaxed);
    // Independent streams are left out, because they and their pools go when their owner likes. The
    // primary stream serves its pool only while its program waits, so it comes last.
    ready_pool* primary = nullptr;
    std::vector<ready_pool*> others;
    streams().for_each([&](stream_record& s) {
        if (s.runtime_pool_or_null() != nullptr && s.stealing() != nullptr) {
            if (s.is_primary()) {
                primary = &s.default_pool();
            } else {
                others.push_back(&s.default_pool());
            }
        }
    });
    if (!others.empty()) {
        return *others[turn % others.size()];
    }
    if (primary == nullptr) {
        base::fatal_misuse("work unit", "no execution stream of the runtime has a pool for it",
                           "start the runtime before, or name a pool");
    }
    return *primary;
}

}  // namespace lazult::sched
