// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/descriptor.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace lazult::core {

constinit descriptor_range descriptors_in_order;
constinit ds::default_atomics::atomic<descriptor_chunk*> descriptors_elsewhere{nullptr};

namespace {

constexpr std::uint64_t chunk_magic = 0x6c617a756c742021;

// All under the lock.
struct range_maker {
    std::mutex lock;
    std::uintptr_t reserved = 0;
    bool tried = false;

    // As much as the system gives: limits on address space are somebody's wish.
    void reserve() noexcept {
        tried = true;
        constexpr std::uintptr_t most = std::uintptr_t{16} << 30;
        for (std::uintptr_t wanted = most; wanted >= 8 * descriptor_chunk_bytes; wanted /= 2) {
            if (void* memory = os::reserve_addresses(wanted, descriptor_chunk_bytes); memory != nullptr) {
                reserved = wanted;
                // relaxed: published by the first store of bytes
                descriptors_in_order.begin.store(reinterpret_cast<std::uintptr_t>(memory),
                                                 std::memory_order_relaxed);
                return;
            }
        }
    }
};
constinit range_maker making;

[[gnu::constructor]] void hold_descriptors_lock() {
    base::hold_across_fork(base::fork_lock::descriptors, making.lock);
}

void* take_from_range() noexcept {
    const std::lock_guard hold(making.lock);
    if (!making.tried) {
        making.reserve();
    }
    // relaxed: both are written under the lock
    const std::uintptr_t used = descriptors_in_order.bytes.load(std::memory_order_relaxed);
    auto* memory = reinterpret_cast<void*>(descriptors_in_order.begin.load(std::memory_order_relaxed) + used);
    if (used == making.reserved || !os::commit(memory, descriptor_chunk_bytes)) {
        return nullptr;
    }
    // pairs with: is_descriptor(), load of bytes
    descriptors_in_order.bytes.store(used + descriptor_chunk_bytes, std::memory_order_release);
    return memory;
}

descriptor_chunk* make_chunk(descriptor_cache* owner) noexcept {
    void* in_order = take_from_range();
    void* memory =
        in_order != nullptr ? in_order : os::reserve(descriptor_chunk_bytes, descriptor_chunk_bytes);
    if (memory == nullptr) {
        return nullptr;
    }
    // A million descriptors are 64 huge pages; a handful are a few small ones.
    os::advise_small(memory, descriptor_chunk_bytes);
    probe::leak_root(memory, descriptor_chunk_bytes);
    auto* chunk = new (memory) descriptor_chunk{owner, nullptr, chunk_magic};
    if (in_order != nullptr) {
        return chunk;
    }
    chunk->next = descriptors_elsewhere.load(std::memory_order_relaxed);
    // release pairs with: is_descriptor_elsewhere(), load of descriptors_elsewhere
    while (!descriptors_elsewhere.compare_exchange_weak(chunk->next, chunk, std::memory_order_release,
                                                        std::memory_order_relaxed)) {
    }
    return chunk;
}

}  // namespace

bool descriptor_cache::add_chunk() noexcept {
    descriptor_chunk* chunk = make_chunk(this);
    if (chunk == nullptr) {
        return false;
    }
    fresh_ = reinterpret_cast<work_unit*>(chunk) + 1;
    fresh_end_ = reinterpret_cast<work_unit*>(chunk) + descriptor_chunk_bytes / sizeof(work_unit);
    return true;
}

work_unit* descriptor_cache::carve() noexcept {
    ++carved_;
    return new (fresh_++) work_unit;
}

// Those that were freed first: they are the coldest.
void descriptor_cache::put_half_away() noexcept {
    const probe::unwatched moving;  // it may end in a call of the C library's, which ThreadSanitizer watches
    constexpr std::size_t half = most_at_hand / 2;
    work_unit** const first = at_hand_ + 1;
    for (work_unit** u = first; u != first + half; ++u) {
        (*u)->next = list_;
        list_ = *u;
    }
    std::copy(first + half, top_, first);
    top_ -= half;
}

// Not inlined: it would be watched by ThreadSanitizer in the callers' code.
LAZULT_NOINLINE void descriptor_cache::release_slow(work_unit* u, descriptor_cache& owner,
                                                    descriptor_cache* mine) noexcept {
    if (&owner != mine) {
        owner.remote_.push(u);
        return;
    }
    owner.put_half_away();
    *owner.top_++ = u;
}

// Out of the list, into the empty half of the array.
void descriptor_cache::fetch() noexcept {
    for (std::size_t n = 0; n != most_at_hand / 2 && list_ != nullptr; ++n) {
        work_unit* u = list_;
        list_ = u->next;
        *top_++ = u;
    }
}

LAZULT_NOINLINE work_unit* descriptor_cache::allocate_slow() noexcept {
    if (list_ == nullptr) {
        list_ = remote_.take_all();
    }
    if (list_ != nullptr) {
        fetch();
        return *--top_;
    }
    if (fresh_ == fresh_end_ && !add_chunk()) {
        return nullptr;
    }
    return carve();
}

std::size_t descriptor_cache::live() noexcept {
    work_unit* returned = remote_.take_all();
    while (returned != nullptr) {
        work_unit* next = returned->next;
        returned->next = list_;
        list_ = returned;
        returned = next;
    }
    auto free_count = static_cast<std::size_t>(top_ - (at_hand_ + 1));
    for (const work_unit* u = list_; u != nullptr; u = u->next) {
        ++free_count;
    }
    return carved_ - free_count;
}

bool is_descriptor_elsewhere(std::uintptr_t at) noexcept {
    const std::uintptr_t wanted = at & ~(descriptor_chunk_bytes - 1);
    // acquire pairs with: make_chunk(), CAS of descriptors_elsewhere
    for (auto* chunk = descriptors_elsewhere.load(std::memory_order_acquire); chunk != nullptr;
         chunk = chunk->next) {
        if (reinterpret_cast<std::uintptr_t>(chunk) == wanted) {
            return true;
        }
    }
    return false;
}

}  // namespace lazult::core
