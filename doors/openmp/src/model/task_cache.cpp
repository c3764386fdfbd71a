// SPDX-License-Identifier: BSD-3-Clause
#include "model/task_cache.hpp"

#include <cstdlib>
#include <utility>

namespace lazult::omp {

// Allocates a slab, and puts its records into the free list. Returns false if there is no memory.
bool task_cache::carve() noexcept {
    constexpr std::size_t stride = sizeof(task) + inline_bytes;
    static_assert(stride % alignof(task) == 0);
    auto* memory =
        static_cast<std::byte*>(std::aligned_alloc(alignof(task), stride * records_per_slab));
    if (memory == nullptr) {
        return false;
    }
    for (std::size_t i = records_per_slab; i-- != 0;) {
        auto* t = new (memory + i * stride) task;
        t->owner = this;
        t->capacity = inline_bytes;
        t->next = free_;
        free_ = t;
    }
    return true;
}

namespace {

task* make_large(std::size_t argument_bytes) noexcept {
    const std::size_t bytes =
        (sizeof(task) + argument_bytes + alignof(task) - 1) / alignof(task) * alignof(task);
    void* memory = std::aligned_alloc(alignof(task), bytes);
    if (memory == nullptr) {
        return nullptr;
    }
    auto* t = new (memory) task;
    t->capacity = static_cast<std::uint32_t>(bytes - sizeof(task));
    return t;
}

}  // namespace

LAZULT_NOINLINE task* task_cache::allocate_slowly(std::size_t argument_bytes) noexcept {
    if (argument_bytes > inline_bytes) {
        return argument_bytes > largest_kept ? make_large(argument_bytes)
                                             : allocate_large(argument_bytes);
    }
    free_ = remote_.take_all();
    if (free_ == nullptr && !carve()) {
        return nullptr;
    }
    task* t = free_;
    free_ = t->next;
    return t;
}

task* task_cache::allocate_large(std::size_t argument_bytes) noexcept {
    const int size_class = class_of(argument_bytes);
    task* const t = large_[size_class];
    if (t == nullptr) {
        return make_large(least_large << size_class);
    }
    large_[size_class] = t->next;
    kept_ -= bytes_of(*t);
    return t;
}

// Frees kept records, the largest first and none of `kept_class`, until `bytes` more may be kept.
// Returns whether they may.
bool task_cache::evict_for(std::size_t bytes, int kept_class) noexcept {
    for (int each = large_classes; each-- != 0;) {
        while (kept_ + bytes > most_kept_bytes && each != kept_class && large_[each] != nullptr) {
            task* const old = std::exchange(large_[each], large_[each]->next);
            kept_ -= bytes_of(*old);
            free_large(old);
        }
    }
    return kept_ + bytes <= most_kept_bytes;
}

void task_cache::free_large(task* t) noexcept {
    t->~task();
    std::free(t);
}

LAZULT_NOINLINE void task_cache::release_large(task* t, task_cache* mine) noexcept {
    const std::size_t bytes = bytes_of(*t);
    const int size_class = class_of(t->capacity);
    if (mine == nullptr || t->capacity > largest_kept || !mine->evict_for(bytes, size_class)) {
        free_large(t);
        return;
    }
    task*& first = mine->large_[size_class];
    t->next = first;
    first = t;
    mine->kept_ += bytes;
}

}  // namespace lazult::omp
