// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/stack_store.hpp"

#include <algorithm>
#include <array>

#include "lazult/core/memory/traffic.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::core {
namespace {

constexpr std::size_t classes = largest_stack_class - smallest_stack_class + std::size_t{1};

// The store uses a lock, slab_lock. In a lock-free list, a taker would detach all stacks and put
// the rest back. Another taker that found the list empty meanwhile would make new stacks, so their
// number would creep up. The lock is taken once for a batch, and no thread sleeps on purpose while
// it holds the lock.
//
// field      written by                   read by              order
// free       the lock's holder            the same             the lock
// warm       the same                     the same             the lock
// total      the same                     anybody, as a hint   relaxed
struct store {
    struct of_class {
        stack_bundles free;
        // The smallest count since age_stored_stacks() looked: so many stacks were not needed.
        std::size_t least = 0;
    };

    std::array<of_class, classes> by_class;  // stacks with memory; the others of `total` are vacant
    std::size_t warm = 0;                    // bytes that they keep: see weight_of()
    ds::default_atomics::atomic<std::uint64_t> total{0};

    of_class& of(std::uint8_t size_class) noexcept {
        return by_class[size_class - smallest_stack_class];
    }
};
constinit store all;

// Returns a guess of the memory that a free stack keeps: a quarter of its size.
std::size_t weight_of(std::uint8_t size_class) noexcept {
    return (std::size_t{1} << size_class) / 4;
}

}  // namespace

void store_stacks(std::span<stack* const> free, std::uint8_t size_class) noexcept {
    std::size_t warm = 0;
    {
        const slab_lock hold;
        all.of(size_class).free.put(free);
        warm = all.warm += free.size() * weight_of(size_class);
        all.total.fetch_add(free.size(), std::memory_order_relaxed);
    }
    note_traffic(warm);
}

std::size_t take_stored_stacks(std::uint8_t size_class, std::span<stack*> into) noexcept {
    std::size_t taken = 0;
    {
        const slab_lock hold;
        store::of_class& stored = all.of(size_class);
        taken = stored.free.take(into);
        stored.least = std::min(stored.least, stored.free.count());
        all.warm -= taken * weight_of(size_class);
        if (taken == 0) {
            taken = remake_stacks(size_class, into);
        }
        all.total.fetch_sub(taken, std::memory_order_relaxed);
    }
    if (taken != 0) {
        note_traffic(0);
    }
    return taken;
}

namespace {

// Vacates as many stacks of each class as wanted(class) says, but at most 64 in all, so that no
// thread waits long for the lock. Returns false if there was none to vacate.
template <class Wanted>
bool vacate_some(Wanted wanted) noexcept {
    constexpr std::size_t most = 64;
    const slab_lock hold;
    std::size_t count = 0;
    for (store::of_class& each : all.by_class) {
        for (; count != most && wanted(each) != 0; ++count) {
            stack& one = *each.free.take();
            all.warm -= weight_of(one.size_class);
            vacate_stack(one);
            each.least -= each.least == 0 ? 0 : 1;
        }
    }
    return count != 0;
}

}  // namespace

void vacate_stored_stacks() noexcept {
    const base::errno_guard kept;
    while (vacate_some([](const store::of_class& c) { return c.free.count(); })) {
    }
}

// Vacates as many stacks as were not needed. Which of them does not matter.
void age_stored_stacks() noexcept {
    const base::errno_guard kept;
    while (vacate_some([](const store::of_class& c) { return c.least; })) {
    }
    const slab_lock hold;
    for (store::of_class& each : all.by_class) {
        each.least = each.free.count();
    }
}

std::size_t unmap_stored_stacks() noexcept {
    vacate_stored_stacks();
    const slab_lock hold;
    const std::size_t gone = unmap_vacant_slabs();
    all.total.fetch_sub(gone, std::memory_order_relaxed);
    return gone;
}

stack_statistics count_stacks() noexcept {
    return {count_slabs(), all.total.load(std::memory_order_relaxed)};
}

}  // namespace lazult::core
