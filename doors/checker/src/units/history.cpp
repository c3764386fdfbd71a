// SPDX-License-Identifier: BSD-3-Clause
#include "units/history.hpp"

#include <memory>
#include <mutex>

namespace lazult::checker {
namespace {

struct free_list {
    std::mutex lock;
    history* first = nullptr;
};

free_list& free_histories() { return base::the_only<free_list>(); }

history* take_free() noexcept {
    free_list& list = free_histories();
    const std::lock_guard hold(list.lock);
    history* const h = list.first;
    if (h != nullptr) {
        list.first = h->next_free;
    }
    return h;
}

// The destructor of a ULT-local value: the ULT ends.
void give_back(void* value) noexcept {
    auto* const h = static_cast<history*>(value);
    h->unit.store(nullptr, std::memory_order_relaxed);
    h->threads.clear();
    h->last = nullptr;
    h->target = nullptr;
    h->target_rank = -1;
    h->patience = 0;
    free_list& list = free_histories();
    const std::lock_guard hold(list.lock);
    h->next_free = list.first;
    list.first = h;
}

core::local_key key() noexcept {
    static const core::local_key made = core::create_local_key(give_back);
    return made;
}

// Seeds come from LAZULT_SEED, in the order in which ULTs begin.
std::uint64_t next_seed() noexcept {
    static ds::default_atomics::atomic<std::uint64_t> begun{0};
    // relaxed: the numbers need only differ
    return base::current_settings().seed + (begun.fetch_add(1, std::memory_order_relaxed) << 32);
}

history* begin_history(core::work_unit& u) noexcept {
    history* h = take_free();
    if (h == nullptr) {
        base::has_memory_for([&h] { h = std::make_unique<history>().release(); });
    }
    if (h != nullptr && !core::set_local(u, key(), h)) {
        give_back(h);
        return nullptr;
    }
    if (h != nullptr) {
        h->random = base::xorshift64(next_seed());
        h->unit.store(&u, std::memory_order_relaxed);
    }
    return h;
}

// What newest_history_of() compares.
thread_local history* newest = nullptr;

history* history_of(core::work_unit& u) noexcept {
    if (history* const h = newest_history_of(&u); h != nullptr) LAZULT_LIKELY {
        return h;
    }
    auto* const known = static_cast<history*>(core::get_local(u, key()));
    newest = known != nullptr ? known : begin_history(u);
    return newest;
}

}  // namespace

history* newest_history_of(const core::work_unit* u) noexcept {
    const bool is_its = newest != nullptr && newest->unit.load(std::memory_order_relaxed) == u;
    return is_its ? newest : nullptr;
}

bool note_thread(history& h) noexcept {
    const os_thread* const here = enter_this_thread();
    if (here == nullptr || h.last == here) {
        return here != nullptr;
    }
    const bool is_noted =
        h.ran_on(here) || base::has_memory_for([&] { h.threads.push_back(here); });
    h.last = is_noted ? here : nullptr;
    return is_noted;
}

history* history_here() noexcept {
    core::work_unit* const u = core::current_unit();
    if (u == nullptr || !u->may_suspend() || u->state() != core::life_state::running) {
        return nullptr;  // also for a unit that has ended here, while its descriptor is used again
    }
    history* const h = history_of(*u);
    return h != nullptr && note_thread(*h) ? h : nullptr;
}

}  // namespace lazult::checker
