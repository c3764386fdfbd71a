// SPDX-License-Identifier: BSD-3-Clause
// Descriptors of units. They are carved in order from chunks of 2 MiB, which are aligned to their
// size and never unmapped while the process runs. So the memory of a freed descriptor stays
// readable: misuse reports look at it. The chunks come from one range of addresses, which grows as
// long as there is room behind it, so that telling a descriptor from any other address is a
// subtraction. Pages of which all descriptors are free may go back to the system; they read as 0,
// an unused descriptor. A chunk's header, found by masking an address, names the cache that owns
// the chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

class descriptor_cache;
class stack_cache;
struct descriptor_pages;

inline constexpr std::size_t descriptor_chunk_bytes = std::size_t{2} << 20;

struct alignas(sizeof(work_unit)) descriptor_chunk {
    descriptor_cache* owner;
    descriptor_chunk* next;
    std::uint64_t magic;
    descriptor_pages* pages;  // nullptr: there was no memory for it, and no page goes back

    static descriptor_chunk* of(const work_unit* u) noexcept {
        return reinterpret_cast<descriptor_chunk*>(reinterpret_cast<std::uintptr_t>(u) &
                                                   ~(descriptor_chunk_bytes - 1));
    }
};

// A cache of free descriptors. They stand in an array first, and the last one there is taken. With
// a list, each creation would read the next one's address out of the descriptor that it takes, and
// the creation after it would wait for that read.
//
// field                written by                          read by    order
// at_hand_, top_, fresh_  the owning OS thread             the same   none needed
// list_, pages_...     the thread that holds the lock      the same   the lock
// remote_              any OS thread that frees one here   the owner  release push, acquire take,
//                                                                     see ds/mpsc_queue.hpp
class descriptor_cache {
public:
    static constexpr std::size_t most_at_hand = 1022;

    // `beside`: the owner's stacks, which give up addresses if descriptors find none.
    explicit descriptor_cache(stack_cache* beside) noexcept : beside_(beside) {}

    // Returns nullptr when memory is exhausted. Fields hold what the last user left, but the state
    // is `unused`.
    work_unit* allocate() noexcept {
        work_unit* u = first_at_hand();
        if (u != nullptr) LAZULT_LIKELY {
            take_first();
            return u;
        }
        return allocate_slow();
    }

    // first_at_hand() returns nullptr if allocate() would look further. take_first() takes what it
    // returned.
    work_unit* first_at_hand() const noexcept { return top_[-1]; }
    void take_first() noexcept { --top_; }

    // Frees a descriptor. Any OS thread may call it. `mine` is the caller's cache or nullptr.
    static void release(work_unit* u, descriptor_cache* mine) noexcept {
        u->set_state(life_state::unused);
        descriptor_cache* owner = descriptor_chunk::of(u)->owner;
        if (owner == mine && mine->top_ != mine->end()) LAZULT_LIKELY {
            *mine->top_++ = u;
        } else {
            release_slow(u, *owner, mine);
        }
    }

    // Called by the owner: puts all descriptors at hand into the list.
    void put_away() noexcept;
    std::size_t at_hand() const noexcept { return static_cast<std::size_t>(top_ - (at_hand_ + 1)); }
    // Gives pages back to the system of which all descriptors are free and none is at hand. Any
    // thread may call it. Returns how many pages.
    std::size_t give_memory_back() noexcept;

    // Held around a fork, because another thread may be using the list.
    std::mutex& lock() noexcept { return lock_; }

    // Returns how many descriptors are carved and not free. Exact only while no other thread works
    // on this cache.
    std::size_t live() noexcept;

private:
    work_unit** end() noexcept { return at_hand_ + 1 + most_at_hand; }
    work_unit* allocate_slow() noexcept;
    static void release_slow(work_unit* u, descriptor_cache& owner,
                             descriptor_cache* mine) noexcept;
    void put_half_away() noexcept;
    std::size_t put_first_away(std::size_t count) noexcept;
    bool fetch() noexcept;
    work_unit* carve() noexcept;
    bool add_chunk() noexcept;
    bool take_vacant_page() noexcept;
    work_unit* begin_giving() noexcept;
    std::size_t end_giving(work_unit* kept, std::size_t count) noexcept;

    work_unit** top_ = at_hand_ + 1;
    work_unit* fresh_ = nullptr;  // the chunk is carved up to here
    work_unit* fresh_end_ = nullptr;
    std::size_t carved_ = 0;
    std::mutex lock_;
    work_unit* list_ = nullptr;  // free descriptors that are not at hand
    std::size_t listed_ = 0;     // how many of these the owner has put there
    bool gives_back_ = false;
    std::size_t vacant_pages_ = 0;
    std::size_t given_back_ = 0;         // descriptors in pages that went back
    descriptor_pages* pages_ = nullptr;  // of all chunks
    ds::mpsc_queue<work_unit, &work_unit::next> remote_;
    stack_cache* beside_;
    work_unit* at_hand_[1 + most_at_hand] = {};  // at_hand_[0] stays nullptr
};

// The chunks of the range. Each is added once, and in order, by the thread that makes it.
//
// field   written by   read by         order
// begin   make_chunk   is_descriptor   published by bytes
// bytes   make_chunk   is_descriptor   release / acquire
struct descriptor_range {
    ds::default_atomics::atomic<std::uintptr_t> begin{0};
    ds::default_atomics::atomic<std::uintptr_t> bytes{0};
};
extern descriptor_range descriptors_in_order;
// The chunks that are not in the range, the newest first. Written by the thread that makes a chunk;
// release / acquire.
extern ds::default_atomics::atomic<descriptor_chunk*> descriptors_elsewhere;

bool is_descriptor_elsewhere(std::uintptr_t at) noexcept;

// Returns whether an address is that of a descriptor, be it in use or not. All may be read.
inline bool is_descriptor(const void* address) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (at % sizeof(work_unit) != 0 || at % descriptor_chunk_bytes == 0) LAZULT_UNLIKELY {
        return false;
    }
    // pairs with: take_from_range(), store of bytes
    const std::uintptr_t bytes = descriptors_in_order.bytes.load(std::memory_order_acquire);
    const std::uintptr_t begin = descriptors_in_order.begin.load(std::memory_order_relaxed);
    return at - begin < bytes || is_descriptor_elsewhere(at);
}

}  // namespace lazult::core
