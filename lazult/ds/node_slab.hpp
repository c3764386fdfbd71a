// SPDX-License-Identifier: BSD-3-Clause
// The nodes of mpmc_queue, and their allocator. Node memory is never unmapped, because a slow
// thread may read a node long after the node left its queue. When all nodes of a page are free, the
// page goes back to the system; its nodes then read as 0, which no node in a queue does. When the
// page is used again, its nodes get higher tags than any node of that page had before.
#pragma once

#include "lazult/ds/atomics.hpp"
#include "lazult/ds/page_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace lazult::ds {

// Packs a node's address and a tag in 64 bits. Nodes are aligned to 64 bytes, and user addresses
// have 48 bits (Linux on x86-64 and AArch64 gives wider ones only to programs that ask mmap for
// them). That leaves 22 bits for the tag.
struct tagged_address {
    static constexpr unsigned alignment_bits = 6;
    static constexpr unsigned address_bits = 48;
    static constexpr unsigned packed_bits = address_bits - alignment_bits;
    static constexpr std::uint64_t address_mask = (std::uint64_t{1} << packed_bits) - 1;
    static constexpr std::size_t alignment = std::size_t{1} << alignment_bits;

    static bool fits(const void* address) noexcept {
        const auto bits = reinterpret_cast<std::uintptr_t>(address);
        return bits % alignment == 0 && (std::uint64_t{bits} >> address_bits) == 0;
    }
    static std::uint64_t pack(const void* address, std::uint64_t tag) noexcept {
        const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(address);
        return bits >> alignment_bits | tag << packed_bits;
    }
    // Returns the word that follows `old`: another address, and the next tag.
    static std::uint64_t after(std::uint64_t old, const void* address) noexcept {
        return pack(address, tag(old) + 1);
    }
    static std::uint64_t tag(std::uint64_t packed) noexcept { return packed >> packed_bits; }
    template <class Node>
    static Node* address(std::uint64_t packed) noexcept {
        static_assert(sizeof(void*) == 8 && alignof(Node) >= alignment);
        return reinterpret_cast<Node*>(
            static_cast<std::uintptr_t>((packed & address_mask) << alignment_bits));
    }
};

// For the writers and readers of these fields, see the table in mpmc_queue.hpp.
template <class Atomics = default_atomics>
struct alignas(tagged_address::alignment) mpmc_node {
    // `tag`: the first tag of `next`. See "ABA" in mpmc_queue.hpp.
    explicit mpmc_node(std::uint64_t tag = 0) : next(tagged_address::pack(nullptr, tag)) {
        if (!tagged_address::fits(this)) {
            base::fatal_misuse("node of a shared pool", "its address has more than 48 bits",
                               "keep the program's memory below 2^47 (no mmap hints above it)");
        }
    }

    typename Atomics::template atomic<std::uint64_t> next;
    typename Atomics::template atomic<void*> value{nullptr};
    typename Atomics::template atomic<std::uint64_t> position{0};
    // links free nodes, those that no queue and no element owns; guarded by node_slab's lock
    mpmc_node* spare = nullptr;
};

// All nodes of the process. Their pages are never unmapped, so a stale read of a node is harmless.
template <class Atomics = default_atomics>
class node_slab {
public:
    using node = mpmc_node<Atomics>;

    // Exists before any constructor runs, and is never destroyed, because queues in static storage
    // take nodes and give them back at exit.
    static node_slab& instance() noexcept {
        static constinit node_slab slab;
        static_assert(std::is_trivially_destructible_v<node_slab>);
        return slab;
    }

    // Throws std::bad_alloc.
    node* take() {
        const std::lock_guard<std::mutex> hold(lock_);
        if (spare_ == nullptr) {
            refill();
        }
        node* const taken = spare_;
        spare_ = taken->spare;
        return taken;
    }

    void give_back(node* returned) noexcept {
        const std::lock_guard<std::mutex> hold(lock_);
        returned->spare = spare_;
        spare_ = returned;
    }

    // A thread that forks holds this lock, because another thread may be using the nodes.
    std::mutex& lock() noexcept { return lock_; }

    // Any thread. Gives pages back to the system if all their nodes are free. Returns how many.
    std::size_t give_memory_back() noexcept {
        node* const all = begin_giving();
        if (all == nullptr) {
            return 0;
        }
        for (const node* n = all; n != nullptr; n = n->spare) {
            pages_.count(n);
        }
        return end_giving(without_free_pages(all));
    }

private:
    static constexpr unsigned per_page = page_pool::page_bytes / sizeof(node);

    // Takes all free nodes, so that other threads cannot use them meanwhile. Returns null if there
    // are none, or if another thread is giving memory back.
    node* begin_giving() noexcept {
        const std::lock_guard<std::mutex> hold(lock_);
        if (gives_back_ || spare_ == nullptr) {
            return nullptr;
        }
        gives_back_ = true;
        return std::exchange(spare_, nullptr);
    }

    // Returns `all` without the nodes of free pages, and notes these pages' next tags.
    node* without_free_pages(node* all) noexcept {
        node* kept = nullptr;
        while (node* const n = all) {
            all = n->spare;
            if (pages_.is_all_free(n, per_page)) {
                const std::uint64_t tag =
                    tagged_address::tag(n->next.load(std::memory_order_relaxed));  // relaxed: free
                std::uint32_t& least = page_pool::note_of(n);
                least = std::max(least, static_cast<std::uint32_t>(tag + 1));
            } else {
                n->spare = kept;
                kept = n;
            }
        }
        return kept;
    }

    // Puts the nodes of used pages back, and gives the free pages to the system.
    std::size_t end_giving(node* kept) noexcept {
        const std::lock_guard<std::mutex> hold(lock_);
        gives_back_ = false;
        while (node* const n = kept) {
            kept = n->spare;
            n->spare = spare_;
            spare_ = n;
        }
        return pages_.vacate(per_page);
    }

    // Hidden from ThreadSanitizer: it sees the clearing of the memory, because that is a call, but
    // not the stores that publish a node in code that is built without instrumentation.
    void refill() {
        [[maybe_unused]] const probe::unwatched allocating;
        auto* const page = static_cast<std::byte*>(pages_.take_page());
        if (page == nullptr) {
            throw std::bad_alloc();
        }
        for (unsigned i = 0; i != per_page; ++i) {
            node* const fresh = new (page + i * sizeof(node)) node(page_pool::note_of(page));
            fresh->spare = spare_;
            spare_ = fresh;
        }
    }

    // Guards all fields below. Seldom taken: once for each queue, and for each new element.
    std::mutex lock_;
    node* spare_ = nullptr;
    bool gives_back_ = false;
    page_pool pages_;
};

// Base of the traits of a queue that takes its nodes from the slab.
template <class Atomics = default_atomics>
struct slab_nodes {
    static mpmc_node<Atomics>* take_node() { return node_slab<Atomics>::instance().take(); }
    static void give_node(mpmc_node<Atomics>* node) noexcept {
        node_slab<Atomics>::instance().give_back(node);
    }
};

}  // namespace lazult::ds
