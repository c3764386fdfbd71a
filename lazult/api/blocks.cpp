// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/blocks.hpp"

#include <array>
#include <bit>
#include <mutex>
#include <new>

#include <lazult/detail/closure.hpp>

#include "lazult/api/refusal.hpp"

namespace lazult::api {
namespace {

struct block {
    block* next;
    block* next_batch;  // in the depot
};

struct free_list {
    block* first = nullptr;
    std::size_t count = 0;

    void push(block* b) noexcept {
        b->next = first;
        first = b;
        ++count;
    }
    block* pop() noexcept {
        block* b = first;
        first = b->next;
        --count;
        return b;
    }
};

constexpr std::size_t batch = 64;
constexpr std::size_t slab_bytes = std::size_t{16} << 10;

// Batches that no thread holds.
struct depot {
    depot() noexcept { base::hold_across_fork(base::fork_lock::blocks, lock); }

    std::mutex lock;
    std::array<block*, block_classes> batches{};
};

depot& shared() {
    static base::never_destroyed<depot> instance;  // threads may end after main
    return *instance;
}

// Trivial, so that reading it costs no check whether it is constructed.
constinit thread_local std::array<free_list, block_classes> lists;

void give_batch(free_list& list, std::size_t which, std::size_t count) noexcept {
    block* first = nullptr;
    for (; count != 0 && list.first != nullptr; --count) {
        block* b = list.pop();
        b->next = first;
        first = b;
    }
    if (first != nullptr) {
        const std::lock_guard hold(shared().lock);
        first->next_batch = shared().batches[which];
        shared().batches[which] = first;
    }
}

// When an OS thread ends, its blocks go to the depot.
struct farewell {
    bool armed = false;
    ~farewell() {
        for (std::size_t which = 0; which < block_classes; ++which) {
            give_batch(lists[which], which, lists[which].count);
        }
    }
};
thread_local farewell at_thread_end;

block* take_batch(std::size_t which) noexcept {
    const std::lock_guard hold(shared().lock);
    block* first = shared().batches[which];
    if (first != nullptr) {
        shared().batches[which] = first->next_batch;
    }
    return first;
}

LAZULT_COLD bool refill(free_list& list, std::size_t which) noexcept {
    at_thread_end.armed = true;
    if (block* b = take_batch(which); b != nullptr) {
        while (b != nullptr) {
            block* next = b->next;
            list.push(b);
            b = next;
        }
        return true;
    }
    const std::size_t bytes = smallest_block << which;
    auto* slab =
        static_cast<std::byte*>(::operator new(slab_bytes, std::align_val_t{smallest_block}, std::nothrow));
    if (slab == nullptr) {
        return false;
    }
    for (std::size_t at = 0; at + bytes <= slab_bytes; at += bytes) {
        list.push(new (slab + at) block);
    }
    return true;
}

constexpr std::size_t class_of(std::size_t bytes) noexcept {
    return bytes <= smallest_block ? 0
                                   : static_cast<std::size_t>(std::bit_width((bytes - 1) / smallest_block));
}
static_assert(class_of(1) == 0 && class_of(64) == 0 && class_of(65) == 1 && class_of(128) == 1 &&
              class_of(129) == 2 && class_of(512) == 3);

constexpr bool is_recycled(std::size_t bytes) noexcept { return recycles_blocks && bytes <= largest_block; }

}  // namespace

void* take_block(std::size_t bytes) noexcept {
    if (!is_recycled(bytes)) {
        return ::operator new(bytes, std::align_val_t{smallest_block}, std::nothrow);
    }
    const std::size_t which = class_of(bytes);
    free_list& list = lists[which];
    if (list.first == nullptr && !refill(list, which)) LAZULT_UNLIKELY {
        return nullptr;
    }
    return list.pop();
}

void give_block(void* memory, std::size_t bytes) noexcept {
    if (!is_recycled(bytes)) {
        ::operator delete(memory, std::align_val_t{smallest_block});
        return;
    }
    const std::size_t which = class_of(bytes);
    free_list& list = lists[which];
    list.push(new (memory) block);
    if (list.count > 2 * slab_bytes / smallest_block) LAZULT_UNLIKELY {
        at_thread_end.armed = true;
        give_batch(list, which, batch);
    }
}

std::size_t kept_blocks() noexcept {
    std::size_t sum = 0;
    for (const free_list& list : lists) {
        sum += list.count;
    }
    return sum;
}

}  // namespace lazult::api

namespace lazult::detail {

void* allocate_block(std::size_t bytes) {
    void* memory = api::take_block(bytes);
    if (memory == nullptr) LAZULT_UNLIKELY {
        api::refuse(base::status::out_of_memory, "closure");
    }
    return memory;
}

void release_block(void* memory, std::size_t bytes) noexcept { api::give_block(memory, bytes); }

}  // namespace lazult::detail
