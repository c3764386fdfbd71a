// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/worker/housekeeping.hpp"

#include <mutex>
#include <new>
#include <thread>

#include "lazult/core/memory/keepers.hpp"
#include "lazult/core/memory/stack_store.hpp"
#include "lazult/core/memory/traffic.hpp"
#include "lazult/core/worker/worker.hpp"

namespace lazult::core {
namespace {

// The state of the service thread:
//   resting -> called    note_traffic(), if the stores hold much
//   called -> resting    the service thread, or a stream, that has emptied the stores
//   any -> ending        give_all_back(), which joins the service thread; then resting
enum order : std::uint32_t { resting, called, ending };

// field     written by                          read by            order
// orders    see above                           anybody            relaxed: what is done is under
//                                                                  the stores' locks
// is_there  the thread's starter and its joiner has_idle_memory    relaxed: a hint
// thread    the holder of the lock              the same           the lock
struct janitor {
    ds::default_atomics::atomic<std::uint32_t> orders{resting};
    ds::default_atomics::atomic<bool> is_there{false};
    std::mutex emptying;  // one thread at a time empties the stores, and none while another forks
    std::mutex lock;
    std::thread thread;

    void forget_parent() noexcept;
    void call() noexcept;
    void run() noexcept;
    void end() noexcept;
    bool empty_if_quiet(std::uint64_t traffic_then) noexcept;
    void age_stores() noexcept;

private:
    void start() noexcept;
    void wait_for_quiet() noexcept;
};

janitor& the_janitor() noexcept { return base::the_only<janitor>(); }

// Called in a forked child: the service thread exists only in the parent.
void janitor::forget_parent() noexcept {
    new (&thread) std::thread;
    is_there.store(false, std::memory_order_relaxed);
    orders.store(resting, std::memory_order_relaxed);
}

// This runs when the library is loaded. Otherwise a fork could copy the static object's guard while
// another thread holds it, and the child would wait for that guard for ever.
[[gnu::constructor]] void hold_janitors_locks() {
    base::hold_across_fork(base::fork_lock::housekeeping, the_janitor().emptying);
    base::hold_across_fork(base::fork_lock::memory_thread, the_janitor().lock,
                           []() noexcept { the_janitor().forget_parent(); });
}

[[gnu::constructor]] void hold_nodes_lock() {
    base::hold_across_fork(base::fork_lock::nodes, ds::node_slab<>::instance().lock());
}

// Called under the janitor's `emptying`.
void empty_stores() noexcept {
    vacate_stored_stacks();
    for_each_worker([](worker& w, void*) { w.descriptors.give_memory_back(); }, nullptr);
    ds::node_slab<>::instance().give_memory_back();  // the descriptors' nodes are there now
    for (const keeper& k : keepers()) {
        k.give_back();
    }
}

void janitor::age_stores() noexcept {
    if (const std::unique_lock hold(emptying, std::try_to_lock); hold.owns_lock()) {
        age_stored_stacks();
    }
}

// Empties the stores, and returns true, if nothing has moved since `traffic_then`.
bool janitor::empty_if_quiet(std::uint64_t traffic_then) noexcept {
    if (count_traffic() != traffic_then) {
        return false;
    }
    std::uint32_t present = called;
    orders.compare_exchange_strong(present, resting, std::memory_order_relaxed,
                                   std::memory_order_relaxed);
    // otherwise another thread is emptying them
    if (const std::unique_lock hold(emptying, std::try_to_lock); hold.owns_lock()) {
        empty_stores();
    }
    return true;
}

void janitor::run() noexcept {
    for (std::uint32_t now = orders.load(std::memory_order_relaxed); now != ending;
         now = orders.load(std::memory_order_relaxed)) {
        if (now == resting) {
            ds::default_atomics::futex_wait(orders, resting, -1);
            continue;
        }
        wait_for_quiet();
    }
}

// Looks a few times a second, so that the stores are emptied little more than a second after the
// last traffic.
void janitor::wait_for_quiet() noexcept {
    constexpr std::int64_t step_ns = quiet_ns / 4;
    std::uint64_t before = count_traffic();
    std::int64_t since = os::now_ns();
    std::int64_t aged = since;
    while (orders.load(std::memory_order_relaxed) == called) {
        ds::default_atomics::futex_wait(orders, called, os::now_ns() + step_ns);
        const std::int64_t now = os::now_ns();
        if (const std::uint64_t present = count_traffic(); present != before) {
            before = present;
            since = now;
        } else if (now - since >= quiet_ns) {
            empty_if_quiet(before);
        }
        if (now - aged >= quiet_ns) {
            age_stores();
            aged = now;
        }
    }
}

void janitor::start() noexcept {
    // without a thread streams do it
    if (os::try_start_service_thread(thread, "lazult memory", [this] { run(); })) {
        is_there.store(true, std::memory_order_relaxed);
    }
}

void janitor::call() noexcept {
    std::uint32_t present = resting;
    if (!orders.compare_exchange_strong(present, called, std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
        return;
    }
    const std::unique_lock hold(lock, std::try_to_lock);
    if (!hold.owns_lock() || orders.load(std::memory_order_relaxed) != called) {
        return;
    }
    if (thread.joinable()) {
        ds::default_atomics::futex_wake(orders, 1);
    } else {
        start();
    }
}

// Called by one thread at a time. Joins without the lock, which a fork may want meanwhile.
void janitor::end() noexcept {
    std::thread ended;
    {
        const std::lock_guard hold(lock);
        orders.store(ending, std::memory_order_relaxed);
        ended = std::move(thread);
    }
    if (ended.joinable()) {
        ds::default_atomics::futex_wake(orders, 1);
        os::join_thread(ended);
    }
    is_there.store(false, std::memory_order_relaxed);
    orders.store(resting, std::memory_order_relaxed);
}

void call_janitor() noexcept {
    janitor& j = the_janitor();
    if (j.orders.load(std::memory_order_relaxed) == resting) {
        const base::errno_guard kept;
        const probe::unwatched calling;
        j.call();
    }
}
[[gnu::constructor]] void set_janitor() { set_collector(call_janitor); }

}  // namespace

bool has_idle_memory(const worker& w) noexcept {
    constexpr std::size_t few = 8;
    const janitor& j = the_janitor();
    return w.stacks.kept() > few || w.descriptors.at_hand() > few ||
           (j.orders.load(std::memory_order_relaxed) == called &&
            !j.is_there.load(std::memory_order_relaxed));
}

void tidy_up(worker& w, std::uint64_t traffic) noexcept {
    janitor& j = the_janitor();
    const bool is_quiet = count_traffic() == traffic;
    const base::errno_guard kept;
    put_away_all(w);
    if (is_quiet) {
        j.empty_if_quiet(count_traffic());
    }
}

void give_all_back() noexcept {
    if (worker* const w = this_worker_or_null(); w != nullptr) {
        put_away_all(*w);
    }
    the_janitor().end();
    {
        const std::lock_guard hold(the_janitor().emptying);
        empty_stores();
    }
    unmap_stored_stacks();
}

}  // namespace lazult::core
