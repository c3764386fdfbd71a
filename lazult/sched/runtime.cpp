// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <new>
#include <vector>

#include "lazult/os/os.hpp"
#include "lazult/sched/events.hpp"
#include "lazult/sched/monitor.hpp"
#include "lazult/sched/overflow.hpp"
#include "lazult/sched/report.hpp"
#include "lazult/sched/steal_group.hpp"
#include "lazult/topo/topo.hpp"

namespace lazult::sched {
namespace {

// field            written by             read by        order
// left_behind      forget_parents_streams stop_runtime   none needed: by the one thread of a child
// streams, ranks   under lock             under lock     the lock's
// running          start, stop            anybody        release / acquire
// count            (un)register_stream    anybody        relaxed: a hint
// turn             outside threads        the same       relaxed
struct runtime_state {
    std::mutex lifecycle;  // start and stop
    std::mutex lock;       // the list
    std::vector<stream*> streams;
    std::vector<bool> ranks;  // taken
    int users = 0;
    std::mutex entry;  // entered
    int entered = 0;
    // in a child that was forked while a runtime ran: its threads are the parent's
    bool left_behind = false;
    pid_t process = 0;  // that entered it: a forked child has its copy
    ds::default_atomics::atomic<bool> has_streams{false};  // from the first entry to the last leave
    ds::default_atomics::atomic<bool> running{false};
    ds::default_atomics::atomic<int> count{0};
    ds::default_atomics::atomic<unsigned> turn{0};
};

runtime_state& state() {
    static base::never_destroyed<runtime_state> instance;
    return *instance;
}

// Called in a forked child. A holder of `lifecycle` or `entry` may wait for other threads, so these
// two locks are not held across a fork. The child makes them anew.
void forget_parents_streams() noexcept {
    runtime_state& r = state();
    new (&r.lifecycle) std::mutex;
    new (&r.entry) std::mutex;
    r.left_behind = r.users != 0;
    for (stream* s : r.streams) {
        s->leave_behind();
    }
}

// This runs when the library is loaded. Otherwise a fork could copy the static object's guard while
// another thread holds it, and the child would wait for that guard for ever.
[[gnu::constructor]] void hold_streams_lock() {
    base::hold_across_fork(base::fork_lock::streams, state().lock, forget_parents_streams);
}

bool on_main_thread() noexcept { return static_cast<std::uint64_t>(::getpid()) == os::thread_id(); }

int wanted_streams() {
    const auto asked = static_cast<int>(base::current_settings().streams);
    return asked != 0 ? asked : topo::machine().processors();
}

base::status start_streams() {
    runtime_state& r = state();
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
    r.running.store(true, std::memory_order_release);
    return base::status::ok;
}

// Streams are made of many parts, any of which may find no memory.
base::status try_start_streams() noexcept {
    try {
        return start_streams();
    } catch (const std::bad_alloc&) {
        return base::status::out_of_memory;
    }
}

std::vector<stream*> all_streams() {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    return r.streams;
}

// Under the list's lock.
template <class Visit>
void for_each_stream_listed(Visit visit) {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    for (stream* s : r.streams) {
        visit(*s);
    }
}

template <class Which>
stream* first_stream(Which which) {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    const auto at =
        std::find_if(r.streams.begin(), r.streams.end(), [&](stream* s) { return which(*s); });
    return at == r.streams.end() ? nullptr : *at;
}

stream* first_behind(int rank) {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    stream* found = nullptr;
    for (stream* s : r.streams) {
        if (s->rank() > rank && (found == nullptr || s->rank() < found->rank())) {
            found = s;
        }
    }
    return found;
}

// By rank, as streams leave the list meanwhile, others' too. That is not copied, for memory may be
// exhausted.
template <class End>
void end_each(End end) {
    int rank = -1;
    while (stream* s = first_behind(rank)) {
        rank = s->rank();
        end(*s);
    }
}

void drain_here() {
    while (core::can_suspend()) {
        worker& w = core::this_worker();
        auto* mine = static_cast<stream*>(w.stream);
        const ready_pool* pool = mine == nullptr ? nullptr : mine->default_pool_or_null();
        if (pool == nullptr || !pool->maybe_has_work(w)) {
            return;
        }
        core::yield();
    }
}

// A unit that never started counts as cancelled. One that is suspended cannot be unwound from here:
// it stays as it is.
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
    state().running.store(false, std::memory_order_release);
    leave_process();
}

// Asks all streams but this one to stop, and gives those that are busy a moment. False when some
// have not ended.
bool ask_others_to_end(const stream& mine) {
    constexpr std::int64_t moment_ns = 50'000'000;
    const std::int64_t deadline = os::now_ns() + moment_ns;
    const auto is_left = [&](const stream& s) {
        return &s != &mine && !s.is_primary() && !s.is_independent() &&
               s.state() != stream_state::ended;
    };
    for_each_stream_listed([&](stream& s) {
        if (is_left(s)) {
            s.main_scheduler().request_stop(scheduler::stop_now);
        }
    });
    while (first_stream(is_left) != nullptr) {
        if (os::now_ns() > deadline) {
            return false;
        }
        os::yield_thread();
    }
    return true;
}

// True if another user of the runtime may go on to use it, or if a thread starts or stops it now.
bool is_runtime_shared() {
    runtime_state& r = state();
    const std::unique_lock hold(r.lifecycle, std::try_to_lock);
    return !hold.owns_lock() || r.users > 1;
}

// A program that exits does not wait for threads: where some still run, the system takes
// everything, as it does when anybody but the primary ULT exits, or a child that was forked, which
// has none of the streams.
void stop_at_exit() {
    const stream* mine = this_stream();
    if (mine != nullptr && runtime_is_running() && state().process == ::getpid() &&
        !is_runtime_shared() && mine->is_own_primary(core::current_unit()) && core::can_suspend() &&
        ask_others_to_end(*mine)) {
        stop_runtime(false);
    }
}

// Before stop_at_exit() is registered, and so after it; the leak checker comes last.
void explain_leaks_at_exit() noexcept {
    if constexpr (probe::asan) {
        static const bool once [[maybe_unused]] = std::atexit(core::note_suspended_stacks) == 0;
    }
}

}  // namespace

void enter_process() noexcept {
    core::add_waker(awaits_events);
    runtime_state& r = state();
    const std::lock_guard hold(r.entry);
    if (r.entered++ != 0) {
        return;
    }
    r.process = ::getpid();
    core::adopt_control_words();
    core::refresh_defaults();
    explain_leaks_at_exit();
    report_at_exit();
    core::name_units_at_terminate();
    base::freeze_settings(true);
    os::install_fault_handler(describe_overflow);
    start_watching();
    r.has_streams.store(true, std::memory_order_release);  // pairs with: process_has_streams()
}

bool process_has_streams() noexcept {
    // pairs with: enter_process(), leave_process(), stores of has_streams
    return state().has_streams.load(std::memory_order_acquire);
}

void leave_process() noexcept {
    runtime_state& r = state();
    const std::lock_guard hold(r.entry);
    if (--r.entered == 0) {
        stop_watching();
        core::give_all_back();
        r.has_streams.store(false, std::memory_order_release);  // pairs with: process_has_streams()
        base::freeze_settings(false);
    }
}

base::status start_runtime() {
    runtime_state& r = state();
    const std::lock_guard hold(r.lifecycle);
    if (r.users == 0) {
        enter_process();
        if (const base::status bad = try_start_streams(); bad != base::status::ok) {
            stop_streams(false);
            return bad;
        }
    }
    ++r.users;
    return base::status::ok;
}

base::status stop_runtime(bool drain) {
    runtime_state& r = state();
    if (r.left_behind) {
        return base::status::ok;
    }
    const std::lock_guard hold(r.lifecycle);
    if (r.users == 0) {
        return base::status::shutting_down;
    }
    if (--r.users == 0) {
        stop_streams(drain);
    }
    return base::status::ok;
}

bool runtime_is_running() noexcept {
    // pairs with: start_streams(), stop_streams(), stores of running
    return state().running.load(std::memory_order_acquire);
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
    stream* here = w == nullptr ? nullptr : static_cast<stream*>(w->stream);
    if (ready_pool* mine = here == nullptr ? nullptr : here->runtime_pool_or_null();
        mine != nullptr) LAZULT_LIKELY {
        return *mine;
    }
    runtime_state& r = state();
    const unsigned turn = r.turn.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard hold(r.lock);
    // A user's own stream, and its pools, go when the user likes, and know of no units but those
    // that were put there.
    std::vector<stream*> ours;
    std::copy_if(r.streams.begin(), r.streams.end(), std::back_inserter(ours), [](stream* s) {
        return s->runtime_pool_or_null() != nullptr && s->stealing() != nullptr;
    });
    if (ours.empty()) {
        base::fatal_misuse("work unit", "no execution stream of the runtime has a pool for it",
                           "start the runtime before, or name a pool");
    }
    // The primary stream serves its pool only while its program waits: others first.
    const std::size_t first = ours.size() > 1 && ours.front()->is_primary() ? 1 : 0;
    return ours[first + turn % (ours.size() - first)]->default_pool();
}

namespace {

// Under the list's lock. The primary stream's last: it serves its pool only while its program
// waits.
stealing_pool* pool_that_stays(const stream& but) noexcept {
    const auto& all = state().streams;
    const auto at = std::find_if(all.rbegin(), all.rend(), [&](const stream* s) {
        return s != &but && !s->is_ending() && s->stealing() != nullptr;
    });
    return at == all.rend() ? nullptr : (*at)->stealing();
}

// Under the list's lock.
bool is_of_ending_stream(const core::pool& p) noexcept {
    const auto& all = state().streams;
    return std::any_of(all.begin(), all.end(),
                       [&](const stream* s) { return s->is_ending() && s->stealing() == &p; });
}

}  // namespace

stealing_pool* pool_of_another_stream(const stream& but) noexcept {
    const std::lock_guard hold(state().lock);
    return pool_that_stays(but);
}

void begin_to_end(stream& s) noexcept {
    const std::lock_guard hold(state().lock);
    s.mark_ending();
}

core::pool* begin_to_end_by(stream& s, core::pool& home) noexcept {
    const std::lock_guard hold(state().lock);
    const bool stays = !s.main_scheduler().takes_from(home) && !is_of_ending_stream(home);
    core::pool* const refuge = stays ? &home : pool_that_stays(s);
    if (refuge != nullptr) {
        s.mark_ending();
    }
    return refuge;
}

int stream_count() noexcept { return state().count.load(std::memory_order_relaxed); }

stream* stream_at(int rank) noexcept {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    const auto at = std::find_if(r.streams.begin(), r.streams.end(),
                                 [rank](stream* s) { return s->rank() == rank; });
    return at == r.streams.end() ? nullptr : *at;
}

stream* primary_stream() noexcept {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    const auto at = std::find_if(r.streams.begin(), r.streams.end(),
                                 [](stream* s) { return s->is_primary() && !s->is_independent(); });
    return at == r.streams.end() ? nullptr : *at;
}

void for_each_stream(void (*visit)(stream&, void*), void* argument) {
    for (stream* s : all_streams()) {
        visit(*s, argument);
    }
}

// With the place in the list: a stream that could not be listed once it runs would be nobody's, and
// go on to serve pools that their owner believes to be free.
int take_rank() {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    r.streams.reserve(r.ranks.size() + 1);
    const auto free = std::find(r.ranks.begin(), r.ranks.end(), false);
    const auto rank = static_cast<int>(free - r.ranks.begin());
    if (free == r.ranks.end()) {
        r.ranks.push_back(true);
    } else {
        *free = true;
    }
    return rank;
}

void give_rank(int rank) {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    r.ranks[static_cast<std::size_t>(rank)] = false;
}

void register_stream(stream& s) {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    r.streams.push_back(&s);  // take_rank() has made room
    r.count.store(static_cast<int>(r.streams.size()), std::memory_order_relaxed);
}

void unregister_stream(stream& s) {
    runtime_state& r = state();
    const std::lock_guard hold(r.lock);
    std::erase(r.streams, &s);
    r.count.store(static_cast<int>(r.streams.size()), std::memory_order_relaxed);
}

}  // namespace lazult::sched
