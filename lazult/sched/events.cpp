// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/events.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace lazult::sched {
namespace {

struct entry {
    std::uint64_t id;
    event_callback callback;
    void* argument;
    awaited when;
    std::thread::id runner{};  // the thread that runs the callback; none if it does not run

    bool is_running() const noexcept { return runner != std::thread::id{}; }
    bool runs_elsewhere() const noexcept {
        return is_running() && runner != std::this_thread::get_id();
    }
};

// A callback may take long, so the lock is released while a callback runs. A thread that removes a
// running callback waits until the callback has returned. A callback may also remove itself.
//
// field     written by                   read by                order
// entries   add, remove (lock)           poll_events (lock)     the lock's; ascending by id
// count     add, remove (lock)           anybody                relaxed: a hint
// expected  add, remove, expect_events   anybody                relaxed: a sleeper looks again
//                                                               behind idle_wait's barrier
// always    add, remove (lock)           anybody                as `expected`, which includes it
// polling   poll_turn                    poll_turn              relaxed: a hint; each callback runs
//                                                               once at a time
// watching  poll_turn::watch             call_another           relaxed: a stream that stops
//                                                               watching looks for the turn itself
// called_ns call_another                 the same               relaxed: a hint
struct event_table {
    std::mutex lock;
    std::vector<entry> entries;
    std::uint64_t next_id = 1;
    std::atomic<std::size_t> count{0};
    std::atomic<int> expected{0};
    std::atomic<int> always{0};
    std::atomic<bool> polling{false};
    std::atomic<int> watching{0};
    std::atomic<std::int64_t> called_ns{0};

    entry* first_from(std::uint64_t id) noexcept {
        const auto at = std::find_if(entries.begin(), entries.end(),
                                     [id](const entry& e) { return e.id >= id; });
        return at == entries.end() ? nullptr : &*at;
    }
    entry* find(std::uint64_t id) noexcept {
        entry* const e = first_from(id);
        return e != nullptr && e->id == id ? e : nullptr;
    }
};

event_table& events() { return base::the_only<event_table>(); }

// Called in a forked child. Threads of the parent that were in a callback do not exist here, so no
// thread of the child may wait for them.
void forget_other_threads() noexcept {
    event_table& table = events();
    for (entry& e : table.entries) {
        if (e.runs_elsewhere()) {
            e.runner = {};
        }
    }
    table.polling.store(false, std::memory_order_relaxed);
    table.watching.store(0, std::memory_order_relaxed);
}

// This runs when the library is loaded. Otherwise a fork could copy the static object's guard while
// another thread holds it, and the child would wait for that guard for ever.
[[gnu::constructor]] void hold_events_lock() {
    base::hold_across_fork(base::fork_lock::events, events().lock, forget_other_threads);
}

void count_always(const entry& e, int change) noexcept {
    if (e.when == awaited::always) {
        events().always.fetch_add(change, std::memory_order_relaxed);
        // After an addition, add_event_callback() wakes all sleepers.
        events().expected.fetch_add(change, std::memory_order_relaxed);
    }
}

// Returns whether the caller's stream polls next, because it has nothing else to do.
bool will_poll_here() noexcept {
    worker* const w = core::this_worker_or_null();
    return w != nullptr && w->here != nullptr && w->current == w->here->self_unit() &&
           w->here->would_only_poll(*w);
}

std::uint64_t enter(event_callback callback, void* argument, awaited when) noexcept {
    event_table& table = events();
    const std::lock_guard hold(table.lock);
    const entry fresh{table.next_id, callback, argument, when};
    if (!base::has_memory_for([&] { table.entries.push_back(fresh); })) {
        return 0;
    }
    table.count.store(table.entries.size(), std::memory_order_relaxed);
    count_always(table.entries.back(), +1);
    return table.next_id++;
}

}  // namespace

std::uint64_t add_event_callback(event_callback callback, void* argument, awaited when) noexcept {
    const std::uint64_t id = enter(callback, argument, when);
    // Streams that sleep without a deadline must learn of the callback.
    sleepers().wake_all();
    return id;
}

void remove_event_callback(std::uint64_t id) noexcept {
    event_table& table = events();
    std::unique_lock hold(table.lock);
    entry* e = table.find(id);
    while (e != nullptr && e->runs_elsewhere()) {
        hold.unlock();
        os::yield_thread();
        hold.lock();
        e = table.find(id);
    }
    if (e == nullptr) {
        return;
    }
    count_always(*e, -1);
    table.entries.erase(table.entries.begin() + (e - table.entries.data()));
    table.count.store(table.entries.size(), std::memory_order_relaxed);
}

gate& event_gate() {
    static base::never_destroyed<gate> instance(sleepers());
    return *instance;
}

bool has_event_callbacks() noexcept { return events().count.load(std::memory_order_relaxed) != 0; }

void expect_events(int change) noexcept {
    // pairs with: idle_wait::prepare(), through notify()'s barrier
    const int before = events().expected.fetch_add(change, std::memory_order_relaxed);
    const int always = events().always.load(std::memory_order_relaxed);
    if (before > always || before + change <= always) {
        return;
    }
    if (always > 0) {
        event_gate().notify_all();  // one of them has the turn to poll
    } else if (!will_poll_here()) {
        event_gate().notify();
    }
}

bool expects_events() noexcept {
    event_table& table = events();
    return table.expected.load(std::memory_order_relaxed) >
           table.always.load(std::memory_order_relaxed);
}

bool awaits_events() noexcept { return events().expected.load(std::memory_order_relaxed) > 0; }

poll_turn::poll_turn() noexcept
    : mine_(awaits_events() && !events().polling.exchange(true, std::memory_order_relaxed)) {}

poll_turn::~poll_turn() {
    if (mine_) {
        events().polling.store(false, std::memory_order_relaxed);
    }
}

bool poll_turn::is_free() noexcept { return !events().polling.load(std::memory_order_relaxed); }

void poll_turn::leave_for_work() noexcept {
    if (mine_) {
        mine_ = false;
        events().polling.store(false, std::memory_order_relaxed);
    }
    call_another();
}

void poll_turn::call_another() noexcept {
    if (!awaits_events() || !is_free()) {
        return;
    }
    event_table& table = events();
    const std::int64_t now = os::now_ns();
    if (table.watching.load(std::memory_order_relaxed) > 0 &&
        now - table.called_ns.load(std::memory_order_relaxed) < event_sleep_ns) {
        return;
    }
    table.called_ns.store(now, std::memory_order_relaxed);
    event_gate().notify();
}

poll_turn::watch::watch() noexcept { events().watching.fetch_add(1, std::memory_order_relaxed); }
poll_turn::watch::~watch() { events().watching.fetch_sub(1, std::memory_order_relaxed); }

int poll_events() noexcept {
    if (!has_event_callbacks()) LAZULT_LIKELY {
        return 0;
    }
    event_table& table = events();
    std::unique_lock hold(table.lock, std::try_to_lock);
    if (!hold.owns_lock()) {
        return 0;
    }
    int found = 0;
    for (entry* e = table.first_from(0); e != nullptr;) {
        const entry mine = *e;
        if (!mine.is_running()) {
            e->runner = std::this_thread::get_id();
            hold.unlock();
            found += mine.callback(mine.argument);
            hold.lock();
            if (entry* const done = table.find(mine.id); done != nullptr) {
                done->runner = {};
            }
        }
        e = table.first_from(mine.id + 1);
    }
    return found;
}

}  // namespace lazult::sched
