// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/descriptor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "lazult/core/memory/stack_cache.hpp"
#include "lazult/core/memory/stack_store.hpp"
#include "lazult/core/memory/traffic.hpp"

namespace lazult::core {

constinit descriptor_range descriptors_in_order;
constinit ds::default_atomics::atomic<descriptor_chunk*> descriptors_elsewhere{nullptr};

namespace {

constexpr std::uint64_t chunk_magic = 0x6c617a756c742021;

// All fields are used under the lock.
struct range_maker {
    std::mutex lock;
    os::growing_range range{0, descriptor_chunk_bytes, std::size_t{16} << 30};
};
constinit range_maker making;

[[gnu::constructor]] void hold_descriptors_lock() {
    base::hold_across_fork(base::fork_lock::descriptors, making.lock);
}

void* take_from_range() noexcept {
    const std::lock_guard hold(making.lock);
    // relaxed: both are written under the lock
    const std::uintptr_t used = descriptors_in_order.bytes.load(std::memory_order_relaxed);
    void* const memory = making.range.make_chunk(used / descriptor_chunk_bytes);
    if (memory == nullptr) {
        return nullptr;
    }
    // relaxed: published by the first store of bytes
    descriptors_in_order.begin.store(making.range.begin(), std::memory_order_relaxed);
    // pairs with: is_descriptor(), load of bytes
    descriptors_in_order.bytes.store(used + descriptor_chunk_bytes, std::memory_order_release);
    return memory;
}

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t pages_per_chunk = descriptor_chunk_bytes / page_bytes;
constexpr std::size_t units_per_page = page_bytes / sizeof(work_unit);

std::size_t page_of(const work_unit* u) noexcept {
    return reinterpret_cast<std::uintptr_t>(u) % descriptor_chunk_bytes / page_bytes;
}
// The first page also holds the chunk's header.
constexpr std::size_t units_of_page(std::size_t index) noexcept {
    return units_per_page - (index == 0 ? 1 : 0);
}

}  // namespace

// The state of a chunk's pages. It is stored outside the chunk, because the chunk holds descriptors
// and a header only.
//
// field    written by                                      read by   order
// free     the one thread that returns memory              the same  the cache's lock, between two
//                                                                    such threads
// others   the thread that holds the cache's lock          the same  the lock
struct descriptor_pages {
    descriptor_pages* next;
    std::byte* begin;
    std::array<std::uint8_t, pages_per_chunk> free;
    std::array<std::uint64_t, pages_per_chunk / 64> vacant;

    work_unit* first_of(std::size_t index) const noexcept {
        return reinterpret_cast<work_unit*>(begin + index * page_bytes) + (index == 0 ? 1 : 0);
    }
    work_unit* end_of(std::size_t index) const noexcept {
        return reinterpret_cast<work_unit*>(begin + (index + 1) * page_bytes);
    }
    bool is_all_free(const work_unit* u) const noexcept {
        const std::size_t index = page_of(u);
        return free[index] == units_of_page(index);
    }
    // Gives pages of which all descriptors are free back to the system. Returns how many. The first
    // page keeps its memory, because the chunk's header is there.
    std::size_t vacate() noexcept {
        std::size_t gone = 0;
        for (std::size_t i = 0; i != pages_per_chunk; ++i) {
            if (free[i] == units_of_page(i)) {
                if (i != 0) {
                    os::discard(begin + i * page_bytes, page_bytes);
                }
                vacant[i / 64] |= std::uint64_t{1} << i % 64;
                ++gone;
            }
        }
        free = {};
        return gone;
    }
    // Takes a vacant page. Returns pages_per_chunk if there is none.
    std::size_t take_vacant() noexcept {
        for (std::size_t i = 0; i != vacant.size(); ++i) {
            if (vacant[i] != 0) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(vacant[i]));
                vacant[i] &= vacant[i] - 1;
                return i * 64 + bit;
            }
        }
        return pages_per_chunk;
    }
};

namespace {

descriptor_chunk* make_chunk(descriptor_cache* owner) noexcept {
    void* in_order = take_from_range();
    void* memory = in_order != nullptr
                       ? in_order
                       : os::reserve(descriptor_chunk_bytes, descriptor_chunk_bytes);
    if (memory == nullptr) {
        return nullptr;
    }
    // No huge pages, so that a handful of descriptors uses a few small pages.
    os::advise_small(memory, descriptor_chunk_bytes);
    probe::leak_root(memory, descriptor_chunk_bytes);
    auto* chunk = new (memory)
        descriptor_chunk{owner, nullptr, chunk_magic, new (std::nothrow) descriptor_pages{}};
    if (in_order != nullptr) {
        return chunk;
    }
    chunk->next = descriptors_elsewhere.load(std::memory_order_relaxed);
    // release pairs with: is_descriptor_elsewhere(), load of descriptors_elsewhere
    while (!descriptors_elsewhere.compare_exchange_weak(
        chunk->next, chunk, std::memory_order_release, std::memory_order_relaxed)) {
    }
    return chunk;
}

}  // namespace

bool descriptor_cache::add_chunk() noexcept {
    descriptor_chunk* chunk = make_chunk(this);
    if (chunk == nullptr) {
        beside_->put_away();
        chunk = unmap_stored_stacks() != 0 ? make_chunk(this) : nullptr;
    }
    if (chunk == nullptr) {
        return false;
    }
    fresh_ = reinterpret_cast<work_unit*>(chunk) + 1;
    fresh_end_ = reinterpret_cast<work_unit*>(chunk) + descriptor_chunk_bytes / sizeof(work_unit);
    if (chunk->pages != nullptr) {
        chunk->pages->begin = reinterpret_cast<std::byte*>(chunk);
        const std::lock_guard hold(lock_);
        chunk->pages->next = pages_;
        pages_ = chunk->pages;
    }
    return true;
}

bool descriptor_cache::take_vacant_page() noexcept {
    const std::lock_guard hold(lock_);
    for (descriptor_pages* each = pages_; vacant_pages_ != 0 && each != nullptr;
         each = each->next) {
        if (const std::size_t index = each->take_vacant(); index != pages_per_chunk) {
            --vacant_pages_;
            fresh_ = each->first_of(index);
            fresh_end_ = each->end_of(index);
            return true;
        }
    }
    return false;
}

work_unit* descriptor_cache::carve() noexcept {
    ++carved_;
    return new (fresh_++) work_unit;
}

// Puts the coldest descriptors, which were freed first, into the list. Returns the list's length.
std::size_t descriptor_cache::put_first_away(std::size_t count) noexcept {
    work_unit** const first = at_hand_ + 1;
    std::size_t listed = 0;
    {
        const std::lock_guard hold(lock_);
        for (work_unit** u = first; u != first + count; ++u) {
            (*u)->next = list_;
            list_ = *u;
        }
        listed = listed_ += count;
    }
    std::copy(first + count, top_, first);
    top_ -= count;
    return listed;
}

void descriptor_cache::put_half_away() noexcept {
    // std::copy may call a function of the C library, which ThreadSanitizer watches.
    const probe::unwatched moving;
    constexpr std::size_t half = most_at_hand / 2;
    note_traffic(put_first_away(half) * sizeof(work_unit));
}

void descriptor_cache::put_away() noexcept {
    const probe::unwatched moving;
    put_first_away(at_hand());
}

// Not inlined, because ThreadSanitizer would watch it in the callers' code.
LAZULT_NOINLINE void descriptor_cache::release_slow(work_unit* u, descriptor_cache& owner,
                                                    descriptor_cache* mine) noexcept {
    if (&owner != mine) {
        owner.remote_.push(u);
        return;
    }
    owner.put_half_away();
    *owner.top_++ = u;
}

// Moves descriptors from the list into the array's empty half. Returns false if there are none.
bool descriptor_cache::fetch() noexcept {
    const std::lock_guard hold(lock_);
    if (list_ == nullptr) {
        list_ = remote_.take_all();
        listed_ = 0;  // those that other threads have pushed are not counted
    }
    std::size_t count = 0;
    for (; count != most_at_hand / 2 && list_ != nullptr; ++count) {
        work_unit* u = list_;
        list_ = u->next;
        *top_++ = u;
    }
    listed_ -= std::min(listed_, count);
    return count != 0;
}

LAZULT_NOINLINE work_unit* descriptor_cache::allocate_slow() noexcept {
    const probe::unwatched moving;
    if (fetch()) {
        return *--top_;
    }
    if (fresh_ == fresh_end_ && !take_vacant_page() && !add_chunk()) {
        return nullptr;
    }
    return carve();
}

// Takes all free descriptors that are not at hand. The owner does without them until end_giving().
// Returns nullptr if there are none, or if another thread is giving memory back.
work_unit* descriptor_cache::begin_giving() noexcept {
    work_unit* remote = nullptr;
    work_unit* listed = nullptr;
    {
        const std::lock_guard hold(lock_);
        if (gives_back_) {
            return nullptr;
        }
        remote = remote_.take_all();
        listed = std::exchange(list_, nullptr);
        listed_ = 0;
        gives_back_ = remote != nullptr || listed != nullptr;
    }
    if (remote == nullptr) {
        return listed;
    }
    work_unit* last = remote;
    while (last->next != nullptr) {
        last = last->next;
    }
    last->next = listed;
    return remote;
}

std::size_t descriptor_cache::give_memory_back() noexcept {
    if constexpr (probe::tsan) {
        // ThreadSanitizer keeps data about that memory, by which it orders the present user of a
        // descriptor after the former ones.
        return 0;
    }
    work_unit* all = begin_giving();
    if (all == nullptr) {
        return 0;
    }
    const auto pages_of = [](const work_unit* u) { return descriptor_chunk::of(u)->pages; };
    for (const work_unit* u = all; u != nullptr; u = u->next) {
        if (descriptor_pages* its = pages_of(u); its != nullptr) {
            ++its->free[page_of(u)];
        }
    }
    work_unit* kept = nullptr;
    std::size_t count = 0;
    while (work_unit* const u = all) {
        all = u->next;
        if (const descriptor_pages* its = pages_of(u); its != nullptr && its->is_all_free(u)) {
            if (u->node != nullptr) {
                ds::node_slab<>::instance().give_back(std::exchange(u->node, nullptr));
            }
            ++count;
        } else {
            u->next = kept;
            kept = u;
        }
    }
    return end_giving(kept, count);
}

std::size_t descriptor_cache::end_giving(work_unit* kept, std::size_t count) noexcept {
    const std::lock_guard hold(lock_);
    gives_back_ = false;
    while (work_unit* const u = kept) {
        kept = u->next;
        u->next = list_;
        list_ = u;
    }
    std::size_t gone = 0;
    for (descriptor_pages* each = pages_; each != nullptr; each = each->next) {
        gone += each->vacate();
    }
    vacant_pages_ += gone;
    given_back_ += count;
    return gone;
}

std::size_t descriptor_cache::live() noexcept {
    const std::lock_guard hold(lock_);
    work_unit* returned = remote_.take_all();
    while (returned != nullptr) {
        work_unit* next = returned->next;
        returned->next = list_;
        list_ = returned;
        returned = next;
    }
    auto free_count = at_hand() + given_back_;
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
