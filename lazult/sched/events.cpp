// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/events.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "lazult/sched/runtime.hpp"

namespace lazult::sched {
namespace {

struct entry {
    std::uint64_t id;
    event_callback callback;
    void* argument;
    awaited when;
};

// field     who writes                   who reads              order
// entries   add, remove (lock)           poll_events (try_lock) the lock's
// count     add, remove (lock)           anybody                relaxed: a hint
// expected  add, remove, expect_events   anybody                relaxed: who expects runs on a stream that looks later
// polling   poll_turn                    poll_turn              relaxed: a hint, who polls takes the lock
struct event_table {
    std::mutex lock;
    std::vector<entry> entries;
    std::uint64_t next_id = 1;
    std::atomic<std::size_t> count{0};
    std::atomic<int> expected{0};
    std::atomic<bool> polling{false};
};

event_table& events() {
    static base::never_destroyed<event_table> instance;
    return *instance;
}

void count_always(const entry& e, int change) noexcept {
    if (e.when == awaited::always) {
        expect_events(change);
    }
}

std::uint64_t enter(event_callback callback, void* argument, awaited when) noexcept {
    event_table& table = events();
    const std::lock_guard hold(table.lock);
    try {
        table.entries.push_back({table.next_id, callback, argument, when});
    } catch (const std::bad_alloc&) {
        return 0;
    }
    table.count.store(table.entries.size(), std::memory_order_relaxed);
    count_always(table.entries.back(), +1);
    return table.next_id++;
}

}  // namespace

std::uint64_t add_event_callback(event_callback callback, void* argument, awaited when) noexcept {
    const std::uint64_t id = enter(callback, argument, when);
    // Streams that sleep without a deadline do not know of it yet.
    sleepers().wake_all();
    return id;
}

void remove_event_callback(std::uint64_t id) noexcept {
    event_table& table = events();
    const std::lock_guard hold(table.lock);
    std::erase_if(table.entries, [id](const entry& e) {
        if (e.id == id) {
            count_always(e, -1);
        }
        return e.id == id;
    });
    table.count.store(table.entries.size(), std::memory_order_relaxed);
}

bool has_event_callbacks() noexcept { return events().count.load(std::memory_order_relaxed) != 0; }

void expect_events(int change) noexcept { events().expected.fetch_add(change, std::memory_order_relaxed); }

bool awaits_events() noexcept { return events().expected.load(std::memory_order_relaxed) > 0; }

poll_turn::poll_turn() noexcept
    : mine_(awaits_events() && !events().polling.exchange(true, std::memory_order_relaxed)) {}

poll_turn::~poll_turn() {
    if (mine_) {
        events().polling.store(false, std::memory_order_relaxed);
    }
}

int poll_events() noexcept {
    if (!has_event_callbacks()) LAZULT_LIKELY {
        return 0;
    }
    event_table& table = events();
    const std::unique_lock hold(table.lock, std::try_to_lock);
    if (!hold.owns_lock()) {
        return 0;
    }
    int found = 0;
    for (const entry& e : table.entries) {
        found += e.callback(e.argument);
    }
    return found;
}

}  // namespace lazult::sched
