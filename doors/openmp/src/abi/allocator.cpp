// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: allocators. There is one kind of memory. An allocator decides the
// alignment, the total number of bytes that it gives (its pool), and the fallback if its pool or
// the memory is exhausted.
//
// A header precedes each block. It names the block's allocator for the function that frees the
// block.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "abi/export.hpp"
#include "tasks/caller.hpp"
#include "tasks/kept_sharing.hpp"

using namespace lazult::omp;

namespace {

enum memory_space : std::uintptr_t { most_spaces = 4 };
enum trait_key : int {
    sync_hint = 1,
    alignment = 2,
    access = 3,
    pool_size = 4,
    fallback = 5,
    fallback_data = 6,
    pinned = 7,
    partition = 8
};
enum trait_value : std::uintptr_t {
    value_true = 1,
    default_memory_fallback = 11,
    null_fallback = 12,
    abort_fallback = 13,
    allocator_fallback = 14,
    default_value = static_cast<std::uintptr_t>(-1)
};
constexpr std::uintptr_t default_allocator = 1;
constexpr std::uintptr_t last_predefined = 8;

struct trait {
    int key;
    std::uintptr_t value;
};

// field  written by    read by   order
// used   all threads   the same  relaxed: a number, and no data behind it
struct allocator {
    std::size_t alignment = 1;
    std::uint64_t pool = UINT64_MAX;
    std::uintptr_t fallback = default_memory_fallback;
    std::uintptr_t next = 0;
    atomic<std::uint64_t> used{0};
};

struct block_header {
    void* memory;
    std::size_t bytes;
    std::size_t whole;  // with header and alignment; counts for the pool
    std::uintptr_t allocator;
};

allocator* own(std::uintptr_t handle) noexcept {
    return handle > last_predefined ? reinterpret_cast<allocator*>(handle) : nullptr;
}

block_header& header_of(void* block) noexcept {
    return *std::launder(
        reinterpret_cast<block_header*>(static_cast<std::byte*>(block) - sizeof(block_header)));
}

struct wish {
    std::size_t bytes;
    std::size_t alignment;
    bool zeros;
};

// Takes bytes from an allocator's pool, or returns false if the pool has not as many left.
// give_up() returns them, and take_back() takes them again without a look at what is left.
bool reserve(allocator* from, std::size_t bytes) noexcept {
    if (from == nullptr || from->pool == UINT64_MAX) {
        return true;
    }
    std::uint64_t used = from->used.load(std::memory_order_relaxed);
    do {
        if (bytes > from->pool || used > from->pool - bytes) {
            return false;
        }
    } while (!from->used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed,
                                               std::memory_order_relaxed));
    return true;
}

void give_up(allocator* from, std::size_t bytes) noexcept {
    if (from != nullptr && from->pool != UINT64_MAX) {
        from->used.fetch_sub(bytes, std::memory_order_relaxed);
    }
}

void take_back(allocator* from, std::size_t bytes) noexcept {
    if (from != nullptr && from->pool != UINT64_MAX) {
        from->used.fetch_add(bytes, std::memory_order_relaxed);
    }
}

void* make_block(const wish& wanted, std::uintptr_t handle) noexcept {
    allocator* from = own(handle);
    const std::size_t aligned_to = std::max(
        {wanted.alignment, from == nullptr ? 1 : from->alignment, alignof(std::max_align_t)});
    const std::size_t more =
        sizeof(block_header) + (aligned_to > alignof(std::max_align_t) ? aligned_to : 0);
    if (wanted.bytes > SIZE_MAX - more || !reserve(from, wanted.bytes + more)) {
        return nullptr;
    }
    const std::size_t whole = wanted.bytes + more;
    void* memory = wanted.zeros ? std::calloc(1, whole) : std::malloc(whole);
    if (memory == nullptr) {
        give_up(from, whole);
        return nullptr;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(memory) + sizeof(block_header);
    const std::uintptr_t at = (first + aligned_to - 1) / aligned_to * aligned_to;
    auto* block = reinterpret_cast<void*>(at);
    new (static_cast<std::byte*>(block) - sizeof(block_header))
        block_header{memory, wanted.bytes, whole, handle};
    return block;
}

void* allocate(const wish& wanted, std::uintptr_t handle) {
    if (wanted.bytes == 0) {
        return nullptr;
    }
    for (;;) {
        if (handle == 0) {
            handle = me().running->variables.allocator;
        }
        if (void* block = make_block(wanted, handle); block != nullptr) {
            return block;
        }
        const allocator* from = own(handle);
        if (from == nullptr || from->fallback == null_fallback) {
            return nullptr;
        }
        if (from->fallback == abort_fallback) {
            base::fatal_misuse("OpenMP allocator",
                               "it has no memory left, and its fallback is to abort",
                               "give it a larger pool");
        }
        const bool uses_default = from->fallback == default_memory_fallback;
        if (uses_default) {
            return make_block(wanted, default_allocator);
        }
        handle = from->next;
    }
}

void release(void* block) noexcept {
    if (block != nullptr) {
        const block_header header = header_of(block);
        give_up(own(header.allocator), header.whole);
        std::free(header.memory);
    }
}

bool is_power_of_two(std::size_t value) noexcept {
    return value != 0 && (value & (value - 1)) == 0;
}

bool apply(allocator& fresh, const trait& wanted) noexcept {
    const bool is_default = wanted.value == default_value;
    switch (wanted.key) {
        case sync_hint: return is_default || (wanted.value >= 3 && wanted.value <= 6);
        case access: return is_default || (wanted.value >= 7 && wanted.value <= 10);
        case partition: return is_default || (wanted.value >= 15 && wanted.value <= 18);
        case pinned: return is_default || wanted.value == 0;  // there is no pinned memory
        case alignment:
            fresh.alignment = is_default ? 1 : wanted.value;
            return is_power_of_two(fresh.alignment);
        case pool_size: fresh.pool = is_default ? UINT64_MAX : wanted.value; return true;
        case fallback:
            fresh.fallback = is_default ? std::uintptr_t{default_memory_fallback} : wanted.value;
            return fresh.fallback >= default_memory_fallback &&
                   fresh.fallback <= allocator_fallback;
        case fallback_data: fresh.next = wanted.value; return true;
        default: return false;
    }
}

std::uintptr_t make_allocator(std::uintptr_t space, int count, const trait* traits) {
    allocator fresh;
    for (int i = 0; i < count; ++i) {
        if (!apply(fresh, traits[i])) {
            return 0;
        }
    }
    if (space > most_spaces || (fresh.fallback == allocator_fallback && fresh.next == 0)) {
        return 0;
    }
    auto* made = new (std::nothrow) allocator;
    if (made != nullptr) {
        made->alignment = fresh.alignment;
        made->pool = fresh.pool;
        made->fallback = fresh.fallback;
        made->next = fresh.next;
    }
    return reinterpret_cast<std::uintptr_t>(made);
}

bool product(std::size_t a, std::size_t b, std::size_t& result) noexcept {
    return !__builtin_mul_overflow(a, b, &result);
}

}  // namespace

extern "C" {

OMP_API void* omp_aligned_alloc(std::size_t aligned_to, std::size_t bytes, std::uintptr_t from) {
    return is_power_of_two(aligned_to) ? allocate({bytes, aligned_to, false}, from) : nullptr;
}
OMP_API void* omp_alloc(std::size_t bytes, std::uintptr_t from) {
    return allocate({bytes, 1, false}, from);
}
OMP_API void* omp_aligned_calloc(std::size_t aligned_to, std::size_t count, std::size_t size,
                                 std::uintptr_t from) {
    std::size_t bytes = 0;
    return is_power_of_two(aligned_to) && product(count, size, bytes)
               ? allocate({bytes, aligned_to, true}, from)
               : nullptr;
}
OMP_API void* omp_calloc(std::size_t count, std::size_t size, std::uintptr_t from) {
    std::size_t bytes = 0;
    return product(count, size, bytes) ? allocate({bytes, 1, true}, from) : nullptr;
}
OMP_API void omp_free(void* block, std::uintptr_t) { release(block); }

OMP_API void* omp_realloc(void* block, std::size_t bytes, std::uintptr_t to, std::uintptr_t) {
    if (block == nullptr) {
        return omp_alloc(bytes, to);
    }
    if (bytes == 0) {
        release(block);
        return nullptr;
    }
    const block_header before = header_of(block);
    allocator* from = own(before.allocator);
    give_up(from, before.whole);  // the old block makes room in its pool for the new one
    void* moved = allocate({bytes, 1, false}, to == 0 ? before.allocator : to);
    if (moved == nullptr) {
        take_back(from, before.whole);
        return nullptr;
    }
    std::memcpy(moved, block, std::min(bytes, before.bytes));
    std::free(before.memory);
    return moved;
}

// For the allocate clauses and directives of the program.
OMP_API void* GOMP_alloc(std::size_t aligned_to, std::size_t bytes, std::uintptr_t from) {
    void* block = allocate({std::max<std::size_t>(bytes, 1), aligned_to, false}, from);
    if (block == nullptr) {
        base::fatal_misuse("OpenMP variable", "no memory for it in its allocator",
                           "give that a larger pool");
    }
    return block;
}
OMP_API void GOMP_free(void* block, std::uintptr_t) { release(block); }

OMP_API std::uintptr_t omp_init_allocator(std::uintptr_t space, int count, const trait* traits) {
    return make_allocator(space, count, traits);
}
OMP_API std::uintptr_t omp_init_allocator_(const std::intptr_t* space, const std::int32_t* count,
                                           const trait* traits) {
    return make_allocator(static_cast<std::uintptr_t>(*space), *count, traits);
}
OMP_API std::uintptr_t omp_init_allocator_8_(const std::intptr_t* space, const std::int64_t* count,
                                             const trait* traits) {
    return make_allocator(static_cast<std::uintptr_t>(*space), static_cast<int>(*count), traits);
}
OMP_API void omp_destroy_allocator(std::uintptr_t handle) { delete own(handle); }
OMP_API void omp_destroy_allocator_(const std::intptr_t* handle) {
    delete own(static_cast<std::uintptr_t>(*handle));
}

OMP_API void omp_set_default_allocator(std::uintptr_t handle) {
    variables_to_change().allocator = handle == 0 ? default_allocator : handle;
}
OMP_API void omp_set_default_allocator_(const std::intptr_t* handle) {
    omp_set_default_allocator(static_cast<std::uintptr_t>(*handle));
}
OMP_API std::uintptr_t omp_get_default_allocator() { return me().running->variables.allocator; }
OMP_API std::intptr_t omp_get_default_allocator_() {
    return static_cast<std::intptr_t>(me().running->variables.allocator);
}
}
