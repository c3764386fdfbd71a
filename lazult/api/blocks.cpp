// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

#include <lazult/detail/closure.hpp>

#include "lazult/api/refusal.hpp"
#include "lazult/core/core.hpp"

namespace lazult::api {
namespace {

struct block {
    block* next;
    block* next_batch;  // the next batch in the depot; only the first block of a batch has it
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
constexpr std::size_t slab_pages = 4;
constexpr std::size_t slab_bytes = slab_pages * ds::page_pool::page_bytes;

constexpr std::size_t bytes_of(std::size_t which) noexcept { return smallest_block << which; }
constexpr unsigned per_page(std::size_t which) noexcept {
    return static_cast<unsigned>(ds::page_pool::page_bytes / bytes_of(which));
}

// The free blocks of one size class that no thread holds, and the pages from which they come. The
// lock guards all fields. A thread that returns memory to the system takes all batches off the
// shelf and works on them without the lock. Only one thread does that at a time.
struct shelf {
    std::mutex lock;
    block* batches = nullptr;
    std::size_t count = 0;  // blocks in the batches
    bool gives_back = false;
    ds::page_pool pages;

    void add_batch(block* first, std::size_t blocks) noexcept {
        first->next_batch = batches;
        batches = first;
        count += blocks;
    }
};
struct depot {
    std::array<shelf, block_classes> shelves;
};

// Threads may end after main.
depot& shared() { return base::the_only<depot>(); }

void lock_other_shelves() noexcept {
    for (std::size_t i = 1; i != block_classes; ++i) {
        shared().shelves[i].lock.lock();
    }
}
void unlock_other_shelves() noexcept {
    for (std::size_t i = block_classes; i-- > 1;) {
        shared().shelves[i].lock.unlock();
    }
}

// Runs when the library is loaded, so that shared() is initialised early. Else a fork could copy
// the guard of its static object while another thread initialises it, and the child would wait for
// that guard for ever.
[[gnu::constructor]] void hold_blocks_locks() {
    base::hold_across_fork(base::fork_lock::blocks, shared().shelves[0].lock, nullptr,
                           {lock_other_shelves, unlock_other_shelves});
}

// Trivial, so that a read needs no check whether the lists are initialised.
constinit thread_local std::array<free_list, block_classes> lists;

void give_batch(free_list& list, std::size_t which, std::size_t count) noexcept {
    block* first = nullptr;
    std::size_t blocks = 0;
    for (; blocks != count && list.first != nullptr; ++blocks) {
        block* b = list.pop();
        b->next = first;
        first = b;
    }
    if (first == nullptr) {
        return;
    }
    shelf& at = shared().shelves[which];
    std::size_t there = 0;
    {
        const std::lock_guard hold(at.lock);
        at.add_batch(first, blocks);
        there = at.count;
    }
    core::note_traffic(there * bytes_of(which));
}

void put_own_away() noexcept {
    for (std::size_t which = 0; which != block_classes; ++which) {
        while (lists[which].first != nullptr) {
            give_batch(lists[which], which, batch);
        }
    }
}

// Takes all batches off the shelf, so that other threads cannot use these blocks meanwhile. Returns
// nullptr if there are none, or if another thread is giving memory back.
block* begin_giving(shelf& from) noexcept {
    const std::lock_guard hold(from.lock);
    if (from.gives_back || from.batches == nullptr) {
        return nullptr;
    }
    from.gives_back = true;
    from.count = 0;
    return std::exchange(from.batches, nullptr);
}

template <class Visit>
void for_each_block(block* batches, Visit visit) noexcept {
    while (block* b = batches) {
        batches = b->next_batch;
        while (block* each = b) {
            b = each->next;
            visit(each);
        }
    }
}

void give_memory_back(shelf& from, unsigned blocks_per_page) noexcept {
    block* const all = begin_giving(from);
    if (all == nullptr) {
        return;
    }
    for_each_block(all, [&](block* b) { from.pages.count(b); });
    free_list kept;
    for_each_block(all, [&](block* b) {
        if (!from.pages.is_all_free(b, blocks_per_page)) {
            kept.push(b);
        }
    });
    const std::lock_guard hold(from.lock);
    from.gives_back = false;
    from.pages.vacate(blocks_per_page);
    while (kept.first != nullptr) {
        free_list some;
        while (kept.first != nullptr && some.count != batch) {
            some.push(kept.pop());
        }
        from.add_batch(some.first, some.count);
    }
}

void give_memory_back() noexcept {
    for (std::size_t which = 0; which != block_classes; ++which) {
        give_memory_back(shared().shelves[which], per_page(which));
    }
}

// Registers both functions once, before there is any block.
void tell_housekeeping() noexcept {
    static const bool told [[maybe_unused]] =
        (core::add_keeper({put_own_away, give_memory_back}), true);
}

// When an OS thread ends, its blocks go back to the depot.
struct farewell {
    bool armed = false;
    ~farewell() { put_own_away(); }
};
thread_local farewell at_thread_end;

block* take_batch(std::size_t which) noexcept {
    shelf& at = shared().shelves[which];
    block* first = nullptr;
    {
        const std::lock_guard hold(at.lock);
        first = at.batches;
        if (first == nullptr) {
            return nullptr;
        }
        at.batches = first->next_batch;
        at.count -= std::min(at.count, batch);
    }
    core::note_traffic(0);
    return first;
}

bool carve_page(free_list& list, std::size_t which) noexcept {
    shelf& at = shared().shelves[which];
    const std::lock_guard hold(at.lock);
    auto* const page = static_cast<std::byte*>(at.pages.take_page());
    for (unsigned i = 0; page != nullptr && i != per_page(which); ++i) {
        list.push(new (page + i * bytes_of(which)) block);
    }
    return page != nullptr;
}

LAZULT_COLD bool refill(free_list& list, std::size_t which) noexcept {
    at_thread_end.armed = true;
    tell_housekeeping();
    if (block* b = take_batch(which); b != nullptr) {
        while (b != nullptr) {
            block* next = b->next;
            list.push(b);
            b = next;
        }
        return true;
    }
    for (std::size_t i = 0; i != slab_pages && carve_page(list, which); ++i) {
    }
    return list.first != nullptr;
}

// These two are not inlined, so that their callers need no stack frame.
LAZULT_NOINLINE block* refill_and_pop(free_list& list, std::size_t which) noexcept {
    return refill(list, which) ? list.pop() : nullptr;
}
LAZULT_NOINLINE void give_batch_of_many(free_list& list, std::size_t which) noexcept {
    at_thread_end.armed = true;
    give_batch(list, which, batch);
}

constexpr std::size_t class_of(std::size_t bytes) noexcept {
    return bytes <= smallest_block
               ? 0
               : static_cast<std::size_t>(std::bit_width((bytes - 1) / smallest_block));
}
static_assert(class_of(1) == 0 && class_of(64) == 0 && class_of(65) == 1 && class_of(128) == 1 &&
              class_of(129) == 2 && class_of(512) == 3);

constexpr bool is_recycled(std::size_t bytes) noexcept {
    return recycles_blocks && bytes <= largest_block;
}

}  // namespace

void* take_block(std::size_t bytes) noexcept {
    if (!is_recycled(bytes)) {
        return ::operator new(bytes, std::align_val_t{smallest_block}, std::nothrow);
    }
    const std::size_t which = class_of(bytes);
    free_list& list = lists[which];
    if (list.first == nullptr) LAZULT_UNLIKELY {
        return refill_and_pop(list, which);
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
        give_batch_of_many(list, which);
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
