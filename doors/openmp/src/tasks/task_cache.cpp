// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/task_cache.hpp"

#include <cstdlib>

namespace lazult::omp {

bool task_cache::carve() noexcept {
    constexpr std::size_t stride = sizeof(task) + inline_bytes;
    static_assert(stride % alignof(task) == 0);
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignof(task), stride * records_per_slab));
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

LAZULT_NOINLINE task* task_cache::allocate_slowly(std::size_t argument_bytes) noexcept {
    if (argument_bytes > inline_bytes) {
        const std::size_t bytes =
            (sizeof(task) + argument_bytes + alignof(task) - 1) / alignof(task) * alignof(task);
        void* memory = std::aligned_alloc(alignof(task), bytes);
        if (memory == nullptr) {
            return nullptr;
        }
        auto* t = new (memory) task;
        t->capacity = static_cast<std::uint32_t>(argument_bytes);
        return t;
    }
    free_ = remote_.take_all();
    if (free_ == nullptr && !carve()) {
        return nullptr;
    }
    task* t = free_;
    free_ = t->next;
    return t;
}

void task_cache::free_large(task* t) noexcept {
    t->~task();
    std::free(t);
}

}  // namespace lazult::omp
