// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/stack_store.hpp"

#include <array>
#include <mutex>

#include "lazult/core/housekeeping.hpp"

namespace lazult::core {
namespace {

constexpr std::size_t classes = largest_stack_class - smallest_stack_class + std::size_t{1};

// A lock, and not a list that takers empty and refill: whoever found it empty meanwhile would make another stack, and their
// number would creep up after all. It is taken once for a batch, and nobody waits while holding it.
//
// field      who writes                   who reads            order
// free       whoever holds the lock       the same             the lock
// warm       the same                     the same             the lock
// total      the same                     anybody, as a hint   relaxed
struct store {
    std::mutex lock;
    std::array<stack_list, classes> free;  // the others of `total` are vacant: see stack.hpp
    std::size_t warm = 0;
    ds::default_atomics::atomic<std::uint64_t> total{0};

    stack_list& of(std::uint8_t size_class) noexcept { return free[size_class - smallest_stack_class]; }
};
constinit store all;

[[gnu::constructor]] void hold_stacks_lock() { base::hold_across_fork(base::fork_lock::stacks, all.lock); }

// Keeps the addresses and returns the memory below the header's page to the system.
void give_memory_back(stack& s) noexcept {
    const std::size_t page = os::page_size();
    auto* keep_from = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(s.top()) & ~(page - 1));
    if (keep_from > s.low) {
        os::discard(s.low, static_cast<std::size_t>(keep_from - s.low));
    }
}

stack* give_memory_back(const stack_list& free) noexcept {
    const base::errno_guard kept;  // locked memory refuses
    stack* last = nullptr;
    for (stack* s = free.first; s != nullptr; s = s->next) {
        give_memory_back(*s);
        last = s;
    }
    return last;
}

}  // namespace

void store_stacks(stack_list& free, std::uint8_t size_class) noexcept {
    stack* const last = give_memory_back(free);
    if (last == nullptr) {
        return;
    }
    std::size_t warm = 0;
    {
        const std::lock_guard hold(all.lock);
        stack_list& stored = all.of(size_class);
        last->next = stored.first;
        stored.first = free.first;
        stored.count += free.count;
        warm = all.warm += free.count;
        all.total.fetch_add(free.count, std::memory_order_relaxed);
    }
    free = {};
    note_traffic(warm * os::page_size());
}

stack_list take_stored_stacks(std::uint8_t size_class, std::size_t most) noexcept {
    stack_list taken;
    {
        const std::lock_guard hold(all.lock);
        stack_list& stored = all.of(size_class);
        while (taken.count < most && stored.first != nullptr) {
            taken.keep(stored.take());
        }
        all.warm -= taken.count;
        if (taken.count == 0) {
            taken = remake_stacks(size_class, most);
        }
        all.total.fetch_sub(taken.count, std::memory_order_relaxed);
    }
    if (taken.count != 0) {
        note_traffic(0);
    }
    return taken;
}

namespace {

// A few, so that nobody waits long for the lock. False: there are no more.
bool vacate_some() noexcept {
    constexpr std::size_t most = 64;
    const std::lock_guard hold(all.lock);
    std::size_t count = 0;
    for (stack_list& each : all.free) {
        for (; count != most && each.first != nullptr; ++count) {
            vacate_stack(*each.take());
        }
    }
    all.warm -= count;
    return count != 0;
}

}  // namespace

void vacate_stored_stacks() noexcept {
    const base::errno_guard kept;
    while (vacate_some()) {
    }
}

std::size_t unmap_stored_stacks() noexcept {
    vacate_stored_stacks();
    const store_lock hold;
    const std::size_t gone = unmap_vacant_slabs();
    all.total.fetch_sub(gone, std::memory_order_relaxed);
    return gone;
}

store_lock::store_lock() noexcept { all.lock.lock(); }
store_lock::~store_lock() { all.lock.unlock(); }

std::uint64_t count_stored_stacks() noexcept { return all.total.load(std::memory_order_relaxed); }

}  // namespace lazult::core
