// SPDX-License-Identifier: BSD-3-Clause
#include "handles/arena.hpp"

#include <mutex>

#include "lazult/sync/sync.hpp"

namespace lazult::abt::arena {

constinit range whole;

namespace {

// A freed slot is used again only when this many other freed slots of its kind wait behind it.
// Until then a stale handle to the slot is recognised as stale.
constexpr std::size_t waiting_slots = 256;

struct free_slot {
    free_slot* next;
};

// The slots of one kind: a queue of freed slots, and the unused rest of the kind's last chunk.
// field  written by  read by    order
// all    anybody     anybody    under lock
struct alignas(base::cache_line) shelf {
    std::mutex lock;
    free_slot* oldest = nullptr;
    free_slot* newest = nullptr;
    std::size_t waiting = 0;
    std::byte* fresh = nullptr;
    std::byte* fresh_end = nullptr;
};

constinit shelf shelves[static_cast<std::size_t>(kind::count)];

constinit std::mutex range_lock;
constinit os::growing_range chunks{1, chunk_bytes, max_bytes};
constinit std::size_t next_chunk = 0;

shelf& shelf_of(kind k) noexcept { return shelves[static_cast<std::size_t>(k)]; }

// Called under range_lock. Returns a new chunk, or nullptr when there is no memory. If something
// else is mapped behind the last chunk, the chunk is made behind that mapping.
std::byte* make_chunk() noexcept {
    constexpr std::size_t most_skipped = 64;
    for (std::size_t tries = 0; tries < most_skipped; ++tries) {
        if (auto* const chunk = static_cast<std::byte*>(chunks.make_chunk(next_chunk++));
            chunk != nullptr) {
            return chunk;
        }
    }
    next_chunk -= most_skipped;  // each attempt failed: there is no memory
    return nullptr;
}

std::byte* take_chunk(kind k) noexcept {
    const std::scoped_lock guard(range_lock);
    std::byte* const chunk = make_chunk();
    if (chunk == nullptr) {
        return nullptr;
    }
    whole.base.store(chunks.begin(), std::memory_order_relaxed);
    whole.kind_of[next_chunk - 1].store(static_cast<std::uint8_t>(k), std::memory_order_relaxed);
    os::advise_small(chunk, chunk_bytes);
    probe::leak_root(chunk, chunk_bytes);
    return chunk;
}

void* take_freed(shelf& s) noexcept {
    free_slot* slot = s.oldest;
    s.oldest = slot->next;
    --s.waiting;
    return slot;
}

void* take_fresh(shelf& s, kind k) noexcept {
    if (s.fresh == s.fresh_end) {
        s.fresh = take_chunk(k);
        s.fresh_end = s.fresh == nullptr ? nullptr : s.fresh + chunk_bytes;
    }
    if (s.fresh == nullptr) {
        return nullptr;
    }
    std::byte* slot = s.fresh;
    s.fresh += slot_bytes(k);
    return slot;
}

}  // namespace

void* take(kind k) noexcept {
    shelf& s = shelf_of(k);
    const std::scoped_lock guard(s.lock);
    if (s.waiting > waiting_slots) {
        return take_freed(s);
    }
    void* slot = take_fresh(s, k);
    return slot != nullptr || s.waiting == 0 ? slot : take_freed(s);
}

void give_back(kind k, void* slot) noexcept {
    shelf& s = shelf_of(k);
    auto* freed = new (slot) free_slot{nullptr};
    const std::scoped_lock guard(s.lock);
    if (s.waiting++ == 0) {
        s.oldest = freed;
    } else {
        s.newest->next = freed;
    }
    s.newest = freed;
}

}  // namespace lazult::abt::arena
